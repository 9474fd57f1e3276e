"""Attempts with the answers that count, and what a grading says of one."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet

from accounts.models import User
from assessments.models import Attempt, GradingRun, Submission
from reviews.visibility import with_viewer


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
