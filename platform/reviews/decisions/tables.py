"""An opening as tables for other programs: only what is frozen and the viewer may see.

Text that a spreadsheet would take for a formula is defused; times are UTC in ISO 8601.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from typing import IO, Any

from django.conf import settings
from django.db.models import F
from django.db.models.fields.json import KT

from accounts.models import User
from assessments.models import Attempt, GradingRun
from hiring.models import Exercise, Opening
from reviews import read_ahead
from reviews.decisions import comparison
from reviews.decisions.candidate_scores import (
    CandidateScore,
    candidate_scores,
    frozen_cards,
    rubric_facts,
)
from reviews.decisions.comparison import Person
from reviews.decisions.workbook import MISSING
from reviews.evidence import corrections
from reviews.fairness.intervals import Estimate
from reviews.models import AskedQuestion, InterviewScore, InterviewSession, MeasureOverride, Rating

logger = logging.getLogger(__name__)
Rows = list[dict[str, Any]]
# as OWASP lists them, with the wide forms that spreadsheets of some languages take for the same
FORMULA = re.compile("^[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udfff]")
LONGEST_CELL = 32_000  # a cell of a workbook holds 32,767 letters
CUT = " … (cut here: the whole text is on the site)"
HOW = "To write Excel files, install the reports extra: pip install 'headnode[reports]'."
AT = "submission__attempt__"


FAILED = "The Excel file could not be written. The same tables can be had as CSV files."


class NoWorkbook(Exception):
    """No workbook can be written here; the message says what to install, or what else there is."""


def safe(value: Any) -> Any:
    """A cell: text without control characters, and never one that begins a formula."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if not isinstance(value, str):
        return value
    text = UNWRITABLE.sub("\ufffd", value)
    if len(text) > LONGEST_CELL:
        text = text[:LONGEST_CELL] + CUT
    return f"'{text}" if FORMULA.match(text) else text


def people(viewer: User, opening: Opening) -> dict[int, Person]:
    """Everybody of the opening whom the viewer may know of, by the candidate's key."""
    known = comparison.people_of(viewer, opening)
    return {row.candidate: row for row in comparison.people_rows(viewer, opening, known)}


def ratings(viewer: User, opening: Opening) -> Rows:
    """One row for each candidate, exercise, round, evaluator and criterion."""
    known = people(viewer, opening)
    exercises = {row.pk: row for row in opening.exercises.all()}
    facts = {(row["rubric"], row["key"]): row for row in rubric_facts(opening)}
    cards = frozen_cards(viewer, opening).select_related("evaluator", "submission__attempt")
    cards = cards.annotate(candidate=F(f"{AT}invitation__candidate"))
    whose: dict[int, Any] = {card.pk: card for card in cards.defer("snapshot", "submission__body")}
    found: Rows = []
    for row in Rating.objects.filter(evaluation__in=whose).order_by("evaluation", "pk"):
        card = whose[row.evaluation_id]
        person = known.get(card.candidate)
        fact = facts.get((card.rubric_id, row.criterion_key), {})
        exercise = exercises[card.submission.attempt.exercise_id]
        if person is None or row.level is None:
            continue
        found.append(
            {
                "opening": opening.title,
                "candidate": person.name,
                "pseudonym": person.pseudonym,
                "exercise": str(exercise),
                "pack": exercise.pack_name,
                "round": card.submission.round,
                "evaluator": str(card.evaluator),
                "submitted": card.submitted_at,
                "corrected": card.supersedes_id is not None,
                "criterion": row.criterion_key,
                "title": fact.get("title", row.criterion_key),
                "dimension": fact.get("dimension", ""),
                "weight": float(fact.get("weight", 1)),
                "level": row.level,
                "level_text": row.level_text,
                "note": row.note,
                **read_ahead.cells(_of(card.submission.attempt, exercise)),
            }
        )
    order = ("pseudonym", "exercise", "round", "evaluator")
    return sorted(found, key=lambda one: [one[name] for name in order])


def _of(attempt: Attempt, exercise: Exercise) -> Attempt:
    """The attempt with its exercise, which is known, so that no row asks for it anew."""
    attempt.exercise = exercise
    return attempt


def summary(viewer: User, opening: Opening) -> Rows:
    """One row for each candidate, by pseudonym: ratings with intervals, the combination, the decision."""
    stand = candidate_scores(viewer, opening)
    exercises = list(opening.exercises.all())
    found: Rows = []
    for person in people(viewer, opening).values():
        own = stand.get(person.candidate, CandidateScore())
        row: dict[str, Any] = {"candidate": person.name, "pseudonym": person.pseudonym}
        for at, exercise in enumerate(exercises, 1):
            row |= _estimate(f"{at}. {exercise}", own.exercises.get(exercise.pk) or Estimate())
        row |= _estimate("work samples", own.work) | _estimate("interviews", own.interviews)
        row |= _estimate("combined", own.combined)
        decision = person.decision
        row |= {
            "work-sample weight %": opening.work_sample_weight,
            "decision": decision.get_outcome_display() if decision else "",
            "decided by": str(decision.decided_by) if decision else "",
            "decided at": decision.decided_at if decision else None,
            "reasons": decision.reasons if decision else "",
        }
        found.append(row)
    return found


def _estimate(name: str, one: Estimate) -> dict[str, Any]:
    return {
        name: _rounded(one.value),
        f"{name}: low": _rounded(one.low),
        f"{name}: high": _rounded(one.high),
        f"{name}: scores": one.count,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def measures(viewer: User, opening: Opening) -> Rows:
    """One row for each candidate, exercise, round and machine measure, where the viewer may see them."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return []
    whose = {
        attempt.pk: (person, attempt)
        for person in people(viewer, opening).values()
        for attempt in person.attempts.values()
        if not (attempt.scores_it and attempt.owed)
    }
    runs = GradingRun.objects.filter(
        submission__attempt__in=whose,
        submission__superseded_at=None,
        finished_at__isnull=False,
        report__isnull=False,
    ).order_by("pk")
    newest = {
        (attempt, round): (pk, text)
        for pk, attempt, round, text in runs.values_list(
            "pk", "submission__attempt", "submission__round", KT("report__measures")
        )
    }
    held = _overrides([pk for pk, _ in newest.values()])
    read = corrections.of_many(pk for pk, _ in newest.values())
    return [
        _measure(whose[attempt], round, item, held.get((pk, str(item.get("key")))), read[pk])
        for (attempt, round), (pk, text) in newest.items()
        for item in json.loads(text or "[]")
    ]


def _overrides(gradings: list[int]) -> dict[tuple[int, str], MeasureOverride]:
    rows = MeasureOverride.objects.filter(grading__in=gradings).select_related("by").order_by("pk")
    return {(row.grading_id, row.measure): row for row in rows}


def _measure(
    whose: tuple[Person, Any],
    round: int,
    item: dict[str, Any],
    held: MeasureOverride | None,
    read: corrections.Corrected,
) -> dict[str, Any]:
    person, attempt = whose
    kept = held if held and held.score is not None else None
    return {
        "candidate": person.name,
        "pseudonym": person.pseudonym,
        "exercise": str(attempt.exercise),
        "round": round,
        "measure": item.get("key"),
        "label": item.get("label"),
        "unit": item.get("unit"),
        "value": item.get("value"),
        "naive": item.get("naive"),
        "reference": item.get("reference"),
        "score": item.get("score"),
        "score after corrections": read.measures.get(str(item.get("key")), {}).get("score"),
        "corrected by": read.by,
        "held to be": kept.score if kept else None,
        "by": str(kept.by) if kept else "",
        "reason": kept.reason if kept else "",
        **read_ahead.cells(attempt),
    }


def interviews(viewer: User, opening: Opening) -> Rows:
    """One row for each question that was scored, and for each interview score given without one."""
    known = people(viewer, opening)
    talks = InterviewSession.objects.visible_to(viewer).current().exclude(submitted_at=None)
    talks = talks.filter(opening=opening, candidate__in=known).order_by()
    asked = AskedQuestion.objects.filter(session__in=talks.values("pk"), score__isnull=False)
    found: Rows = [
        {
            "candidate": known[row.session.candidate_id].name,
            "pseudonym": known[row.session.candidate_id].pseudonym,
            "interviewer": str(row.session.interviewer),
            "about": row.snapshot["topic"],
            "score": row.score,
            "points reached": len(row.points),
            "points": len(row.snapshot["expected_points"]),
            "note": row.note,
        }
        for row in asked.select_related("session__interviewer")
    ]
    given = InterviewScore.objects.visible_to(viewer).current()
    given = given.filter(opening=opening, candidate__in=known).select_related("given_by")
    found += [
        {
            "candidate": known[row.candidate_id].name,
            "pseudonym": known[row.candidate_id].pseudonym,
            "interviewer": str(row.given_by),
            "about": row.get_about_display(),
            "score": row.score,
            "points reached": None,
            "points": None,
            "note": row.reasons,
        }
        for row in given
    ]
    return sorted(found, key=lambda one: (one["pseudonym"], one["interviewer"], one["about"]))


TABLES: dict[str, Callable[[User, Opening], Rows]] = {
    "summary": summary,
    "ratings": ratings,
    "measures": measures,
    "interviews": interviews,
}


def columns(rows: Rows) -> list[str]:
    """What any of the rows has, in the order in which it first came."""
    return list(dict.fromkeys(name for row in rows for name in row))


def as_csv(viewer: User, opening: Opening, table: str) -> str:
    """One of TABLES as CSV with a heading; nothing where there are no rows."""
    rows, held = TABLES[table](viewer, opening), io.StringIO()
    if rows:
        file = csv.DictWriter(held, columns(rows), lineterminator="\r\n")
        file.writeheader()
        for row in rows:
            file.writerow({name: safe(value) for name, value in row.items()})
    return held.getvalue()


def as_workbook(viewer: User, opening: Opening) -> bytes:
    """All of TABLES as sheets of one Excel file, written by a process of its own. Raises NoWorkbook."""
    command = [sys.executable, "-m", "reviews.decisions.workbook"]
    env = {"PATH": os.environ.get("PATH", ""), "LANG": os.environ.get("LANG", "C.UTF-8")}
    env["PYTHONPATH"] = f"{settings.ROOT}/platform:{settings.ROOT}"
    built = {name: build(viewer, opening) for name, build in TABLES.items()}
    with tempfile.TemporaryFile() as told:
        for name, rows in built.items():
            _tell(told, name, rows)
        told.seek(0)
        done = subprocess.run(  # noqa: S603  (our own command line)
            command, stdin=told, env=env, capture_output=True, check=False
        )
    if done.returncode == MISSING:
        raise NoWorkbook(HOW)
    if done.returncode:
        logger.error("An Excel file was not written: %s", done.stderr.decode(errors="replace"))
        raise NoWorkbook(FAILED)
    return done.stdout


def _tell(told: IO[bytes], name: str, rows: Rows) -> None:
    """Line by line: one call for all of it would keep every other thread from Python for its length."""
    heads = columns(rows)
    told.write(json.dumps({"sheet": name, "columns": heads}).encode() + b"\n")
    for row in rows:
        cells = [safe(row.get(head)) for head in heads]
        told.write(json.dumps(cells).encode() + b"\n")
