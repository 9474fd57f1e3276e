"""The answer of the troubleshooting exercise: checked, bounded, and as the rest of the grader reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graders.written import (
    BadAnswer,
    number_of,
    parts_of,
    priority_of,
    sections_of,
    text_of,
    unknown,
)

MOST_HYPOTHESES = 200
MOST_PINS = 200
"""Pins on one hypothesis."""
LONGEST_FIELD = 10_000
LONGEST_PIN = 20_000
"""Characters; a command's output is cut by the page long before."""

STATUSES = ("open", "supported", "refuted")
SECTIONS = ("first_look", "issues", "priorities", "immediate", "long_term", "business")
_PIN_KEYS: Mapping[str, Sequence[str]] = {
    "log": ("path", "line"),
    "config": ("path", "line"),
    "chart": ("metric", "from_ms", "to_ms"),
    "command": ("command", "host"),
}
_PIN_MAY = ("kind", "note", "text", "labels", "at_ms")
_TEXTS = ("claim", "place", "mitigation", "prevention", "reason")
_NUMBERS = ("hours", "seconds_per_step", "opened_min", "decided_min")


@dataclass(frozen=True, slots=True)
class Pin:
    """One piece of evidence: a line of a file, a chart's range, or a command's output."""

    kind: str
    path: str = ""
    line: int = 0
    text: str = ""
    metric: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    from_ms: float = 0.0
    to_ms: float = 0.0
    command: str = ""
    host: str = ""
    note: str = ""

    def says(self) -> str:
        """What it points at, in a few words."""
        if self.kind in ("log", "config"):
            return f"{self.path}:{self.line}"
        if self.kind == "chart":
            labels = ", ".join(f'{key}="{value}"' for key, value in sorted(self.labels.items()))
            return f"{self.metric}{{{labels}}}" if labels else self.metric
        return f"{self.command} on {self.host}"


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One card of the board. Figures are None where nothing was filled in; minutes since the start.

    `place` is "" in answers from before there was such a field: the place then stands in the claim.
    """

    id: str
    claim: str
    status: str
    hours: float | None
    seconds_per_step: float | None
    priority: int | None
    mitigation: str
    prevention: str
    reason: str
    opened_min: float | None
    decided_min: float | None
    pins: tuple[Pin, ...]
    place: str = ""

    @property
    def figured(self) -> bool:
        """Whether a cost or a priority was given, which one does for a cause."""
        return any(v is not None for v in (self.hours, self.seconds_per_step, self.priority))


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer; `notes` says what was in it that nobody reads."""

    sections: Mapping[str, str]
    hypotheses: tuple[Hypothesis, ...]
    notes: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        return not any(text.strip() for text in self.sections.values()) and not self.hypotheses


def parse(text: str) -> Answer:
    """The answer in `answer.json`. Raises BadAnswer; keys that nobody knows become a note."""
    data, notes = parts_of(text, "hypotheses")
    sections = sections_of(data.get("sections", {}), SECTIONS, notes)
    rows = data.get("hypotheses", [])
    if not isinstance(rows, list) or len(rows) > MOST_HYPOTHESES:
        raise BadAnswer(f"hypotheses is a list of at most {MOST_HYPOTHESES} objects.")
    found = [_hypothesis(row, number, notes) for number, row in enumerate(rows, start=1)]
    if len({one.id for one in found}) != len(found):
        raise BadAnswer("Two hypotheses have the same id; give each its own.")
    return Answer(sections, tuple(found), tuple(notes))


def _hypothesis(row: Any, number: int, notes: list[str]) -> Hypothesis:
    where = f"hypotheses[{number}]"
    if not isinstance(row, dict):
        raise BadAnswer(f"{where} is not an object.")
    known = ("id", "status", "priority", "pins", *_TEXTS, *_NUMBERS)
    notes += unknown(row, known, where)
    texts = {key: text_of(row.get(key, ""), f"{where}.{key}", LONGEST_FIELD) for key in _TEXTS}
    figures = {key: number_of(row.get(key), f"{where}.{key}") for key in _NUMBERS}
    status = row.get("status", "open")
    if status not in STATUSES:
        raise BadAnswer(f"{where}.status is one of {', '.join(STATUSES)}.")
    pins = row.get("pins", [])
    if not isinstance(pins, list) or len(pins) > MOST_PINS:
        raise BadAnswer(f"{where}.pins is a list of at most {MOST_PINS} objects.")
    return Hypothesis(
        id=text_of(str(row.get("id", number)), f"{where}.id", 100),
        status=status,
        priority=priority_of(row.get("priority"), f"{where}.priority"),
        pins=tuple(_pin(pin, f"{where}.pins[{n}]", notes) for n, pin in enumerate(pins, start=1)),
        claim=texts["claim"],
        place=texts["place"],
        mitigation=texts["mitigation"],
        prevention=texts["prevention"],
        reason=texts["reason"],
        hours=figures["hours"],
        seconds_per_step=figures["seconds_per_step"],
        opened_min=figures["opened_min"],
        decided_min=figures["decided_min"],
    )


def _pin(row: Any, where: str, notes: list[str]) -> Pin:
    if not isinstance(row, dict) or row.get("kind") not in _PIN_KEYS:
        raise BadAnswer(f"{where} is an object whose kind is one of {', '.join(_PIN_KEYS)}.")
    needs = _PIN_KEYS[row["kind"]]
    for key in needs:
        if row.get(key) is None:
            raise BadAnswer(f"{where} lacks {key}, which a {row['kind']} pin needs.")
    notes += unknown(row, (*needs, *_PIN_MAY), where)
    labels = row.get("labels") or {}
    if not isinstance(labels, dict) or len(labels) > 30:
        raise BadAnswer(f"{where}.labels is an object of at most 30 labels.")
    line = number_of(row.get("line"), f"{where}.line") or 0.0
    if line != int(line):
        raise BadAnswer(f"{where}.line is a whole number from 1.")
    return Pin(
        kind=row["kind"],
        line=int(line),
        labels={str(k)[:100]: str(v)[:200] for k, v in labels.items()},
        from_ms=number_of(row.get("from_ms"), f"{where}.from_ms") or 0.0,
        to_ms=number_of(row.get("to_ms"), f"{where}.to_ms") or 0.0,
        **{
            key: text_of(row.get(key), f"{where}.{key}", LONGEST_PIN)
            for key in ("path", "text", "metric", "command", "host", "note")
        },
    )
