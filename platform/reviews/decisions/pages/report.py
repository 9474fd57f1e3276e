"""The report on one candidate for one opening: a page, and the same as a PDF file."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from assessments.models import Attempt
from reviews.access import attempt_for
from reviews.decisions.report_front import front_of
from reviews.decisions.report_links import MAKES
from reviews.decisions.reports import Report, gather
from reviews.printed import answer
from reviews.visibility import may_act_on


@never_cache
@require_safe
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Everything about the candidate and opening of an attempt that the viewer may see."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_decision")
    found = gather(viewer, attempt)
    context = {
        **admin.site.each_context(request),
        **report_context(viewer, attempt, found),
        "may_decide": may_act_on(viewer, attempt, "reviews.add_decision"),
        "may_share": may_act_on(viewer, attempt, MAKES),
    }
    name = f"report {found.candidate.pseudonym} {found.opening}"
    return answer(request, "reviews/report.html", context, name=name, about=found.candidate)


def report_context(viewer: User, attempt: Attempt, found: Report) -> dict[str, Any]:
    """What the template shows of a report that was gathered for the viewer."""
    return {
        "title": f"Report: {found.name}",
        "name": found.name,
        "attempt": attempt,
        "opening": found.opening,
        "report": found,
        "front": front_of(viewer, found),
        "interview_weight": 100 - found.opening.work_sample_weight,
        "made_at": timezone.now(),
        "made_for": viewer,
    }
