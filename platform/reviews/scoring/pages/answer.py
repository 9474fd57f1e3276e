"""Both rounds of an answer with their evidence, as the pages of an attempt and of a scorecard show them."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from accounts.models import User
from assessments.models import Attempt, GradingRun, Submission
from reviews.answers import report_of, submission_of
from reviews.evidence import answer_text, automation
from reviews.evidence.assistant_alone import beside, line_for
from reviews.evidence.kinds import staff_of
from reviews.evidence.ordinary_minutes import ordinary_time_of
from reviews.phases import grading_tag, progress
from reviews.scoring import overrides
from reviews.visibility import may_see_measures


def answer_context(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Both rounds' answers, what changed, and the evidence in so far as the viewer may see it."""
    titles = answer_text.section_titles(attempt)
    handed_in = [row for number in (1, 2) if (row := submission_of(attempt, number))]
    sees = [may_see_measures(viewer, attempt, row.round) for row in handed_in]
    context: dict[str, Any] = {
        "staff": staff_of(attempt.exercise),
        "rounds": [
            round_view(attempt, row, titles, shown)
            for row, shown in zip(handed_in, sees, strict=True)
        ],
    }
    context["is_spoken"] = handed_in[-1].source == Submission.Source.SPOKEN if handed_in else False
    if len(handed_in) == 2 and not context["is_spoken"]:
        first, second = handed_in
        context["comparisons"] = answer_text.comparisons(
            first.body, second.body, titles, ordinary_time_of(attempt)
        )
        if all(sees):
            changes = automation.measure_changes(report_of(first), report_of(second))
            context["measure_changes"] = changes
            context["drawn_anew"] = automation.drawn_anew(report_of(first), report_of(second))
    return context


def round_view(
    attempt: Attempt, submission: Submission, titles: dict[str, str], sees: bool
) -> dict[str, Any]:
    """One round for the page; scores are left out where the viewer may not see measures."""
    runs = list(submission.grading_runs.all())
    report = report_of(submission)
    reported = next((run for run in runs if run.finished_at and run.report), None)
    held = overrides.of(reported if sees else None)
    alone = line_for(attempt.exercise) if sees else None
    return {
        "number": submission.round,
        "submission": submission,
        "parts": answer_text.parts(submission.body, titles, ordinary_time_of(attempt)),
        "grading": runs[0] if runs else None,
        "gradings": runs,
        "grading_tag": grading_tag(runs[0] if runs else None, timezone.now()),
        "progress": grading_progress(submission, runs[0] if runs else None),
        "is_graded_soon": bool(runs) and runs[0].finished_at is None,
        "report_run": reported.pk if reported else None,
        "sees_measures": sees,
        "measures": beside(overrides.beside(report, held), alone) if sees else [],
        "alone": alone,
        "score": (report or {}).get("score") if sees else None,
        "report": report if sees else None,
        "overridden": held,
        **staff_of(attempt.exercise).round(attempt, reported, held.corrected, sees=sees),
    }


def grading_progress(submission: Submission, run: GradingRun | None) -> str:
    return progress(run, submission.attempt, timezone.now()) if run else ""
