"""A page on the screen, or with ?pdf the same page on paper."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.text import slugify

from assessments.places import PLACES, Busy, waiting
from reviews import pdf


def answer(
    request: HttpRequest, template: str, context: dict[str, Any], *, name: str
) -> HttpResponse:
    """The page, or the PDF file `name`; where none can be made, the page says how to get it.

    The template extends `base` where that is given, which on paper is reviews/printed.html.
    """
    if "pdf" not in request.GET:
        return render(request, template, context)
    on_paper = {**context, "base": "reviews/printed.html", "on_paper": True}
    try:
        html = render_to_string(template, on_paper, request)
        with PLACES.place("paper", request.user.pk):
            made = pdf.pdf(html, base=request.build_absolute_uri(request.path))
    except Busy as busy:
        return waiting(request, busy)
    except pdf.NoPaper as error:
        messages.warning(request, str(error))
        return render(request, template, context, status=503)
    response = HttpResponse(made, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{slugify(name) or "page"}.pdf"'
    response["Cache-Control"] = "no-store"
    return response
