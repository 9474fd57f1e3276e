"""Set a person's word beside a machine's measure: with a reason, never in the report's place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from statistics import fmean
from typing import Any, NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import GradingRun
from reviews.evidence import automation, corrections
from reviews.evidence.corrections import Corrected
from reviews.models import MeasureOverride
from reviews.visibility import grading_visible_to


class Overridden(NamedTuple):
    """What holds of a grading: each measure's newest override, and the mean with them in place.

    `total` is None where nothing is overridden or nothing could be measured; the report's own
    score is never touched. `corrected` is what people corrected in how an answer was read; an
    override stands above what follows from it.
    """

    newest: dict[str, MeasureOverride]
    log: list[MeasureOverride]
    total: float | None
    corrected: Corrected = corrections.NOTHING
    told: Sequence[tuple[MeasureOverride, str]] = ()
    """The log, each row with its measure's name."""


@transaction.atomic
def override(
    run: GradingRun, *, measure: str, score: float | None, reason: str, by: User, now: datetime
) -> MeasureOverride:
    """Append a person's score (0 to 1) for a measure; None takes the last one back."""
    run = GradingRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if not grading_visible_to(by, run):
        raise NotPossible(
            "Submit your own scorecard of this round first: measures are hidden until then."
        )
    known = {row.key: row for row in automation.measures(run.report)}
    if run.finished_at is None or measure not in known:
        raise NotPossible("This grading has no such measure.")
    if score is not None and not 0 <= score <= 1:
        raise NotPossible("A measure's score is a number from 0 to 1.")
    if not reason.strip():
        raise NotPossible("Say why the machine's measure does not hold.")
    held = of(run).newest.get(measure)
    if score is None and held is None:
        raise NotPossible("There is no override of this measure to take back.")
    if held and (held.score, held.reason, held.by) == (score, reason.strip()[:500], by):
        return held  # the same button pressed twice
    return MeasureOverride.objects.create(
        grading=run,
        measure=measure,
        machine_score=known[measure].score,
        score=score,
        reason=reason.strip()[:500],
        by=by,
        at=now,
    )


def of(run: GradingRun | None) -> Overridden:
    """What people said about one grading's measures."""
    if run is None:
        return Overridden({}, [], None)
    return of_many([run])[run.pk]


def of_many(runs: Iterable[GradingRun]) -> dict[int, Overridden]:
    """By the grading's key, in two queries; the runs need their reports."""
    known = {run.pk: run for run in runs}
    rows: dict[int, list[MeasureOverride]] = {pk: [] for pk in known}
    for row in MeasureOverride.objects.filter(grading__in=known).select_related("by"):
        rows[row.grading_id].append(row)
    read = corrections.of_many(known)
    return {pk: _held(known[pk].report, log, read[pk]) for pk, log in rows.items()}


def beside(report: dict[str, Any] | None, held: Overridden) -> list[automation.Measure]:
    """The report's measures as they are, each with what people set or corrected beside it."""
    found = {key: automation.measure(row) for key, row in held.corrected.measures.items()}
    return [
        row._replace(override=held.newest.get(row.key), corrected=found.get(row.key))
        for row in automation.measures(report)
    ]


def _held(report: dict[str, Any] | None, log: list[MeasureOverride], read: Corrected) -> Overridden:
    names = {row.key: row.label for row in automation.measures(report)}
    told = [(row, names.get(row.measure, row.measure)) for row in log]
    newest = {row.measure: row for row in log}
    newest = {key: row for key, row in newest.items() if row.score is not None}
    if not newest:
        return Overridden(newest, log, None, read, told)
    scores = []
    for measure in automation.measures(report):
        said = newest.get(measure.key)
        machine = read.measures.get(measure.key, {}).get("score", measure.score)
        score = said.score if said else machine
        if score is not None:
            scores.append(min(1.0, max(0.0, score)))
    return Overridden(newest, log, fmean(scores) if scores else None, read, told)
