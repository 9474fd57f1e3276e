"""Pins as pages list them and as their script places them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from accounts.models import User
from assessments.models import Attempt
from reviews.answers import report_of, submission_of
from reviews.evidence import answer_text, automation, chart_places
from reviews.evidence.troubleshooting_key import line_url
from reviews.models import Pin
from reviews.scoring import pins
from reviews.visibility import is_evaluator

Keys = Mapping[int, Sequence[str]]
"""Round -> the parts of its answer."""


def pins_context(attempt: Attempt, viewer: User, round: int | None = None) -> dict[str, Any]:
    """The pins that the viewer may see, as the page lists them and as its script places them.

    `round` is the one that the viewer may pin to on this page, if any.
    """
    shown = pins.shown(attempt, viewer)
    # Once for each round: reading a large answer takes longer than everything else on the page.
    rounds = {pin.submission.round for pin in shown if pin.source == pins.ANSWER}
    keys = {round: _keys(attempt, round) for round in rounds}
    rows = [_row(pin, attempt, viewer, keys) for pin in shown]
    return {
        "pins": rows,
        "pins_data": [{name: row[name] for name in FOR_SCRIPT} for row in rows],
        "may_pin": round is not None and is_evaluator(viewer, attempt),
        "longest_pin": pins.LONGEST,
    }


FOR_SCRIPT = (
    "id",
    "kind",
    "source",
    "part",
    "first",
    "last",
    "round",
    "text",
    "place",
    "author",
    "mine",
)


def _keys(attempt: Attempt, round: int) -> list[str]:
    """The keys of the parts of a round's answer, in the order in which the page shows them."""
    submission = submission_of(attempt, round)
    if submission is None:
        return []
    titles = answer_text.section_titles(attempt)
    return [part.key for part in answer_text.parts(submission.body, titles)]


def _row(pin: Pin, attempt: Attempt, viewer: User, keys: Keys) -> dict[str, Any]:
    return {
        "id": str(pin.pk),
        "kind": pin.kind,
        "source": pin.source,
        "part": pin.part,
        "first": pin.first,
        "last": pin.last,
        "round": pin.submission.round,
        "text": pin.text,
        "place": pin.place,
        "quote": pin.quote,
        "author": str(pin.author),
        "mine": pin.author_id == viewer.pk,
        "wordings": len(pin.wordings.all()),
        "href": _href(pin, attempt, keys),
    }


def _href(pin: Pin, attempt: Attempt, keys: Keys) -> str:
    """Where the place is on the page; runs have a page of their own."""
    if pin.source.startswith("run-"):
        return reverse("admin:run", args=[attempt.pk, pin.source.removeprefix("run-")])
    if pin.source == pins.MATERIAL:
        room = reverse("admin:attempt-room", args=[attempt.pk])
        if pin.kind == Pin.Kind.TIME:
            return chart_places.link(room, pin.part, pin.first, pin.last)
        return line_url(room, pin.part, pin.first)
    if pin.source != pins.ANSWER:
        return f"#w-{pin.source}"
    mine = keys[pin.submission.round]
    at = mine.index(pin.part) + 1 if pin.part in mine else 0
    return f"#r{pin.submission.round}-{at}-{pin.first}"


def places(attempt: Attempt, round: int) -> list[tuple[str, str]]:
    """(value, label) of what can be pinned to by the form that needs no script."""
    submission = submission_of(attempt, round)
    if submission is None:
        return []
    titles = answer_text.section_titles(attempt)
    found = [
        (f"line|answer|{part.key}", f"{part.title}, {len(part.lines)} lines")
        for part in answer_text.parts(submission.body, titles)
        if part.lines
    ]
    run = next((row for row in submission.grading_runs.all() if row.report), None)
    for row in automation.workloads(report_of(submission)) if run else []:
        source = f"graded-{run.pk}-{row.position}" if run else ""
        if row.has_chart:
            found.append((f"time|{source}|", f"{row.title or row.name}, seconds of the replay"))
        if row.stderr:
            found.append((f"row|{source}|stderr", f"{row.title or row.name}, rows of its errors"))
    return found
