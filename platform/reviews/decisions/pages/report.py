"""The report on one candidate for one opening: a page, and the same as a PDF file."""

from __future__ import annotations

from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reviews.access import attempt_for
from reviews.decisions.reports import gather
from reviews.printed import answer


@never_cache
@require_safe
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Everything about the candidate and opening of an attempt that the viewer may see."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_decision")
    found = gather(viewer, attempt)
    context = {
        **admin.site.each_context(request),
        "title": f"Report: {found.name}",
        "name": found.name,
        "attempt": attempt,
        "opening": found.opening,
        "report": found,
        "interview_weight": 100 - found.opening.work_sample_weight,
        "made_at": timezone.now(),
        "made_for": viewer,
    }
    name = f"report {found.candidate.pseudonym} {found.opening}"
    return answer(request, "reviews/report.html", context, name=name)
