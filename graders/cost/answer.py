"""The answer of the cost exercise: checked, bounded, and as the rest of the grader reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

MOST_ROWS = 60
MOST_VALUES = 40
"""Values of one key of a filter."""
LONGEST_FIELD = 10_000
LONGEST_TIMELINE = 1_000
LONGEST_VALUE = 200
MOST_USD = 1e10
KINDS = ("percent", "money")
COMPLEXITIES = ("low", "medium", "high")
FILTERS = (
    "service",
    "category",
    "account",
    "team",
    "resource",
    "region",
    "provider",
    "charge",
    "commitment",
    "tag",
)
SECTIONS = ("reading", "priorities", "technical", "business", "risks", "agreement")
_KEYS = (
    "id",
    "what",
    "where",
    "saving",
    "complexity",
    "risk",
    "timeline",
    "dependency",
    "priority",
)


@dataclass(frozen=True, slots=True)
class Saving:
    """A claimed saving: `value` is percent of `of`, or USD a year; None where no number was filled in.

    An answer may keep beside it, as `typed`, what was written in place of a number: people read it.
    """

    kind: str
    value: float | None
    of: str


@dataclass(frozen=True, slots=True)
class Opportunity:
    """One row of the table."""

    id: str
    what: str
    where: Mapping[str, tuple[str, ...]]
    saving: Saving
    complexity: str
    risk: str
    timeline: str
    dependency: str
    priority: int | None

    @property
    def empty(self) -> bool:
        return not self.what.strip() and not self.where and self.saving.value is None


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer without empty rows; `notes` says what was in it that nobody reads."""

    sections: Mapping[str, str]
    opportunities: tuple[Opportunity, ...]
    notes: tuple[str, ...] = ()


def parse(text: str) -> Answer:
    """The answer in `answer.json`. Raises BadAnswer; keys that nobody knows become a note."""
    data, notes = parts_of(text, "opportunities")
    sections = sections_of(data.get("sections", {}), SECTIONS, notes)
    rows = data.get("opportunities", [])
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        raise BadAnswer(f"opportunities is a list of at most {MOST_ROWS} objects.")
    found = [_opportunity(row, number, notes) for number, row in enumerate(rows, start=1)]
    kept = tuple(one for one in found if not one.empty)
    if len({one.id for one in kept}) != len(kept):
        raise BadAnswer("Two opportunities have the same id; give each its own.")
    return Answer(sections, kept, tuple(notes))


def _opportunity(row: Any, number: int, notes: list[str]) -> Opportunity:
    where = f"opportunities[{number}]"
    if not isinstance(row, dict):
        raise BadAnswer(f"{where} is not an object.")
    notes += unknown(row, _KEYS, where)
    texts = {
        key: text_of(row.get(key), f"{where}.{key}", LONGEST_FIELD)
        for key in ("what", "risk", "dependency")
    }
    texts["timeline"] = text_of(row.get("timeline"), f"{where}.timeline", LONGEST_TIMELINE)
    complexity = row.get("complexity") or ""
    if complexity not in ("", *COMPLEXITIES):
        raise BadAnswer(f"{where}.complexity is one of {', '.join(COMPLEXITIES)}.")
    given = row.get("id")
    return Opportunity(
        id=text_of(str(number if given in (None, "") else given), f"{where}.id", 100),
        where=_filter(row.get("where") or {}, f"{where}.where"),
        saving=_saving(row.get("saving") or {}, f"{where}.saving", notes),
        complexity=complexity,
        priority=priority_of(row.get("priority"), f"{where}.priority"),
        **texts,
    )


def _filter(data: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(data, dict):
        raise BadAnswer(f'{where} is an object such as {{"account": "cluster-burst"}}.')
    found = {}
    for key, value in data.items():
        if key not in FILTERS:
            raise BadAnswer(
                f"{where} has the key {str(key)[:40]!r}; it may have {', '.join(FILTERS)}."
            )
        values = value if isinstance(value, list) else [value]
        if len(values) > MOST_VALUES:
            raise BadAnswer(f"{where}.{key} has more than {MOST_VALUES} values.")
        texts = tuple(text_of(one, f"{where}.{key}", LONGEST_VALUE).strip() for one in values)
        if key == "tag" and not all("=" in one for one in texts if one):
            raise BadAnswer(f"{where}.tag is written key=value.")
        if any(texts):
            found[str(key)] = tuple(one for one in texts if one)
    return found


def _saving(data: Any, where: str, notes: list[str]) -> Saving:
    if not isinstance(data, dict):
        raise BadAnswer(f"{where} is an object with kind, value and of.")
    notes += unknown(data, ("kind", "value", "of", "typed"), where)
    kind = data.get("kind") or "money"
    if kind not in KINDS:
        raise BadAnswer(f"{where}.kind is percent or money.")
    value = number_of(data.get("value"), f"{where}.value", 0, MOST_USD)
    if value is not None and kind == "percent" and value > 100:
        raise BadAnswer(f"{where}.value is a percentage from 0 to 100.")
    return Saving(kind, value, text_of(data.get("of"), f"{where}.of", LONGEST_VALUE).strip())
