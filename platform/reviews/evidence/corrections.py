"""Correct how the machine read a statement: a person's word beside it, and what the measures are then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import GradingRun
from graders.measures import total
from graders.written import Assessed, BadCorrection
from reviews.evidence.readings import reader_of, statements_of, verdict_in_words
from reviews.models import MatchCorrection
from reviews.visibility import grading_visible_to

Verdict = MatchCorrection.Verdict


class Corrected(NamedTuple):
    """What people said of one grading's matches, and what its measures are with it.

    `newest` holds the corrections in force, by (statement, subject); `measures` rows as a report's, by
    key, and `total` their mean: empty and None where no correction is in force.
    """

    newest: dict[tuple[str, str], MatchCorrection]
    log: list[MatchCorrection]
    measures: dict[str, dict[str, Any]]
    total: float | None

    @property
    def told(self) -> list[tuple[MatchCorrection, str]]:
        """The log, each row with what it holds in words."""
        return [(row, verdict_in_words(row.subject, row.verdict)) for row in self.log]

    @property
    def by(self) -> str:
        """Who corrected what is in force: "Ines and Otto"."""
        names = list(dict.fromkeys(str(row.by) for row in self.newest.values()))
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


NOTHING = Corrected({}, [], {}, None)


def correct(
    run: GradingRun,
    *,
    statement: str,
    subject: str,
    verdict: str,
    reason: str,
    by: User,
    now: datetime,
) -> MatchCorrection:
    """Append what a person holds a statement to say of a cause or herring; the newest word counts.

    Raises NotPossible for whoever may not see the measures, and for a statement, subject or verdict
    that there is not.
    """
    new = {"statement": statement, "subject": subject, "verdict": verdict}
    reason = reason.strip()[:500]
    with transaction.atomic():
        run = GradingRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
        held = of(run)
        last = held.newest.get((statement, subject))
        _check(run, verdict, last, by)
        if last and (last.verdict, last.reason, last.by_id) == (verdict, reason, by.pk):
            return last  # the same button pressed twice
        others = [row for key, row in held.newest.items() if key != (statement, subject)]
        found = _assessed(run, [*map(_plain, others), *([new] if verdict != "withdrawn" else [])])
        return MatchCorrection.objects.create(
            **new,
            grading=run,
            quote=quotes(run.report).get(statement, "")[:1_000],
            title=_name(run, subject),
            reason=reason,
            measures=[row.to_dict() for row in found.measures],
            score=total(found.measures),
            by=by,
            at=now,
        )


def _check(run: GradingRun, verdict: str, last: MatchCorrection | None, by: User) -> None:
    if not grading_visible_to(by, run):
        raise NotPossible(
            "Submit your own scorecard of this round first: what became of the matches is hidden "
            "until then."
        )
    if verdict not in Verdict.values:
        raise NotPossible("Choose what the statement says.")
    if verdict == Verdict.WITHDRAWN and last is None:
        raise NotPossible("There is no correction of this match to take back.")


def _assessed(run: GradingRun, corrections: Sequence[Mapping[str, str]]) -> Assessed:
    reader = reader_of(run.report)
    if reader is None or run.report is None:
        raise NotPossible("This grading has no reading of the answer to correct.")
    try:
        return reader.grader.reassess(run.report, corrections)
    except BadCorrection as error:
        raise NotPossible(str(error)) from error


def _name(run: GradingRun, subject: str) -> str:
    reader = reader_of(run.report)
    return reader.name(subject) if reader else subject


def _plain(row: MatchCorrection) -> dict[str, str]:
    return {"statement": row.statement, "subject": row.subject, "verdict": row.verdict}


def rows_with(report: Mapping[str, Any], held: Corrected) -> list[dict[str, Any]]:
    """The report's evidence, assessed anew where corrections are in force; the report stays as it is."""
    reader = reader_of(report)
    if not held.newest or reader is None:
        return list(report.get("evidence") or [])
    return reader.grader.reassess(report, [_plain(row) for row in held.newest.values()]).evidence


def quotes(report: Mapping[str, Any] | None) -> dict[str, str]:
    """Statement -> what it says."""
    return {str(row["id"]): str(row["text"]) for row in statements_of(report)}


def of(run: GradingRun | None) -> Corrected:
    """What people said of one grading's matches."""
    return of_many([run.pk])[run.pk] if run else NOTHING


def of_many(gradings: Iterable[int]) -> dict[int, Corrected]:
    """By the grading's key, in one query."""
    rows: dict[int, list[MatchCorrection]] = {pk: [] for pk in gradings}
    for row in MatchCorrection.objects.filter(grading__in=list(rows)).select_related("by"):
        rows[row.grading_id].append(row)
    return {pk: _held(log) for pk, log in rows.items()}


def _held(log: list[MatchCorrection]) -> Corrected:
    newest = {(row.statement, row.subject): row for row in log}
    newest = {key: row for key, row in newest.items() if row.verdict != Verdict.WITHDRAWN}
    if not newest:
        return Corrected({}, log, {}, None)
    last = log[-1]
    return Corrected(newest, log, {row["key"]: row for row in last.measures}, last.score)
