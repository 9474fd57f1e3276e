"""The way into every page about an attempt: the row as the viewer may see it, or 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from accounts.models import User
from accounts.staff_admin import allow
from assessments.models import Attempt, GradingRun, Submission
from hiring import sightings
from reviews import read_ahead
from reviews.visibility import attempts_visible_to, shown_name, with_viewer


def attempt_for(request: HttpRequest, pk: UUID, permission: str) -> tuple[User, Attempt]:
    """The viewer and the attempt; PermissionDenied by role, Http404 where they may not know of it."""
    viewer = allow(request, permission)
    attempt = with_answers(attempts_visible_to(viewer), viewer).filter(pk=pk).first()
    if attempt is None:
        raise Http404
    sightings.note(viewer, attempt.invitation.candidate, page_of(request), now=timezone.now())
    return viewer, attempt


def page_of(request: HttpRequest) -> str:
    """The name of the address that was asked for, as "attempt" or "decision"."""
    match = request.resolver_match
    return (match.url_name or "") if match else ""


def with_answers(attempts: QuerySet[Attempt], viewer: User) -> QuerySet[Attempt]:
    """Attempts with the answers that count, their gradings, and who scores them."""
    gradings = GradingRun.objects.order_by("-pk").select_related("requested_by")
    submissions = Submission.objects.filter(superseded_at=None)
    return (
        with_viewer(attempts, viewer)
        .select_related("invitation__candidate", "invitation__opening", "exercise", "pack_version")
        .prefetch_related(
            "time_events",
            "assignments__evaluator",
            Prefetch(
                "submissions", submissions.prefetch_related(Prefetch("grading_runs", gradings))
            ),
        )
    )


def submission_of(attempt: Attempt, round: int) -> Submission | None:
    """The answer of a round that counts; the attempt comes from `attempt_for`."""
    return next((row for row in attempt.submissions.all() if row.round == round), None)


def report_of(submission: Submission | None) -> dict[str, Any] | None:
    """The newest finished grading's report."""
    runs = submission.grading_runs.all() if submission else []
    return next((run.report for run in runs if run.finished_at and run.report), None)


def page_context(request: HttpRequest, attempt: Attempt, title: str) -> dict[str, Any]:
    return {
        **admin.site.each_context(request),
        "attempt": attempt,
        "name": shown_name(attempt),
        "opening": attempt.invitation.opening,
        "title": title,
        "ahead": read_ahead.of(attempt),
    }


def as_json(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Trouble as {"detail"} with its status, where a script and not a person asks."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except PermissionDenied:
            text = "You may not do this, or you are signed out: sign in again in another tab."
            return JsonResponse({"detail": text}, status=403)
        except Http404:
            return JsonResponse({"detail": "There is nothing here."}, status=404)

    return answer
