"""Which replays of an attempt a viewer may watch and compare: hidden workloads, runs, the reference."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse

from accounts.models import User
from assessments.models import Attempt, GradingRun, Submission
from reviews.answers import submission_of
from reviews.evidence import automation, reference
from reviews.visibility import may_see_measures

SHOWN_RUNS = 30


class Source(NamedTuple):
    """One replay. `key` names it in addresses, `url` answers with its data.

    `workload` is the same for replays of one workload, which is what makes them comparable.
    """

    key: str
    group: str
    label: str
    workload: str
    url: str


def sources(viewer: User, attempt: Attempt) -> list[Source]:
    """Everything that can be chosen, in the order of the list; the attempt from `attempt_for`."""
    found: list[Source] = []
    if viewer.has_perm("assessments.view_gradingrun"):
        for number in (1, 2):
            found += graded(attempt, submission_of(attempt, number))
        found += references(viewer, attempt)
    if viewer.has_perm("assessments.view_run"):
        found += runs(attempt)
    return found


def shown_grading(submission: Submission | None) -> GradingRun | None:
    """The newest finished grading that has a report."""
    rows = submission.grading_runs.all() if submission else []
    return next((run for run in rows if run.finished_at and run.report), None)


def graded(attempt: Attempt, submission: Submission | None) -> list[Source]:
    """The hidden workloads of a round's newest grading."""
    run = shown_grading(submission)
    if submission is None or run is None:
        return []
    return [
        Source(
            key=f"graded-{run.pk}-{row.position}",
            group=f"Hidden workloads, round {submission.round}",
            label=f"{row.title or row.name}, round {submission.round}",
            workload=row.name,
            url=reverse("admin:evidence-chart", args=[attempt.pk, run.pk, row.position]),
        )
        for row in automation.workloads(run.report)
        if row.has_chart
    ]


def runs(attempt: Attempt) -> list[Source]:
    """The candidate's own runs that ended, newest first."""
    rows = attempt.runs.exclude(finished_at=None).exclude(report=None)
    rows = rows.select_related("draft").defer("report", "draft__body")
    return [
        Source(
            key=f"run-{run.pk}",
            group="Runs",
            label=f"Run of draft {run.draft.number} on {run.workload}, round {run.round}",
            workload=run.workload,
            url=reverse("admin:run-chart", args=[attempt.pk, run.pk]),
        )
        for run in rows[:SHOWN_RUNS]
    ]


def may_see_reference(viewer: User, attempt: Attempt) -> bool:
    """The reference is what measures are scaled by, so it is shown to whoever sees some of them."""
    handed_in = [row.round for row in attempt.submissions.all()]
    return any(may_see_measures(viewer, attempt, number) for number in handed_in)


def reference_workloads(attempt: Attempt) -> list[tuple[str, str]]:
    """(name, title) of the workloads whose reference can be played."""
    graded = [shown_grading(submission_of(attempt, number)) for number in (1, 2)]
    return reference.workloads_of(attempt, [run for run in graded if run])


def references(viewer: User, attempt: Attempt) -> list[Source]:
    if not may_see_reference(viewer, attempt):
        return []
    return [
        Source(
            key=f"reference-{name}",
            group="Reference",
            label=f"The reference on {title}",
            workload=name,
            url=reverse("admin:reference-chart", args=[attempt.pk, name]),
        )
        for name, title in reference_workloads(attempt)
    ]


def chosen(found: list[Source], first: str, second: str) -> tuple[Source | None, Source | None]:
    """What to compare: as asked for where that exists, else what says most.

    The first hidden workload's first answer beside its revision, else beside the reference on
    it, else beside any other replay of the same workload.
    """
    known = {one.key: one for one in found}
    a = known.get(first) or next(iter(found), None)
    if a is None:
        return None, None
    same = [one for one in found if one.workload == a.workload and one != a]
    b = known.get(second) or next(iter(same), None)
    return a, b
