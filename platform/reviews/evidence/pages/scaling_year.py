"""One hidden year of a graded scaling plan, month by month, so that every figure can be opened."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from assessments.models import GradingRun
from reviews.access import attempt_for, page_context
from reviews.evidence import scaling
from reviews.visibility import grading_visible_to


@require_safe
def show(request: HttpRequest, pk: UUID, grading: int, position: int) -> HttpResponse:
    """For whoever may see the round's measures: this is what they are made of."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_gradingrun")
    run = get_object_or_404(
        GradingRun.objects.select_related("submission"), pk=grading, submission__attempt=attempt
    )
    found = scaling.opened(run.report, position)
    if found is None or not grading_visible_to(viewer, run):
        raise Http404
    context = page_context(request, attempt, f"Hidden year {found.draw}")
    context |= {
        "found": found,
        "grading": run,
        "round": run.submission.round,
        "previous": position - 1 if position > 1 else None,
        "next": position + 1 if position < found.count else None,
    }
    return render(request, "reviews/scaling_year.html", context)
