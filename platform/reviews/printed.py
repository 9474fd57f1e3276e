"""A page on the screen, or with ?pdf the same page on paper."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import slugify

from assessments.jobs import Result
from hiring.models import Candidate
from reviews import pdf, pdf_files
from reviews.models import PdfFile

LONG = timedelta(seconds=20)
AGAIN_S = 1
"""After so many seconds the page that waits asks again."""


def answer(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    name: str,
    about: Candidate | None = None,
) -> HttpResponse:
    """The page, or the PDF file `name`, or that it is being made; where none can be, the page says why.

    The template extends `base` where that is given, which on paper is reviews/printed.html. What is on paper
    says nothing that changes from one minute to the next: the file is kept by what it says. `about`: whose
    data it holds.
    """
    if "pdf" not in request.GET:
        return render(request, template, context)
    now = timezone.now()
    on_paper = {**context, "base": "reviews/printed.html", "on_paper": True}
    try:
        html = render_to_string(template, on_paper, request)
        base = request.build_absolute_uri("/")
        row = pdf_files.asked_for(html, base=base, about=about, now=now)
    except pdf.NoPdf as error:  # a file of the site's own is missing
        return _instead(request, template, context, str(error))
    if row.finished_at is None:
        return _being_made(request, row, slow=now - row.created_at > LONG)
    if row.result != Result.DONE:
        return _instead(request, template, context, row.detail)
    response = HttpResponse(bytes(row.file or b""), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{slugify(name) or "page"}.pdf"'
    response["Cache-Control"] = "no-store"
    return response


def _instead(
    request: HttpRequest, template: str, context: dict[str, Any], said: str
) -> HttpResponse:
    messages.warning(request, said)
    return render(request, template, {**context, "no_paper": said}, status=503)


def _being_made(request: HttpRequest, row: PdfFile, *, slow: bool) -> HttpResponse:
    """The page that comes back to its address by itself, until the file is there."""
    response = render(request, "reviews/being_made.html", {"slow": slow}, status=202)
    response["Retry-After"] = response["Refresh"] = str(AGAIN_S)
    response["Cache-Control"] = "no-store"
    return response
