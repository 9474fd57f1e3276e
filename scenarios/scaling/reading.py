"""Reads the plan of plan.json, and writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from scenarios.scaling.plan import (
    CLOUD_KINDS,
    LIKELIHOODS,
    BadPlan,
    Change,
    Phase,
    Plan,
    Purchase,
    Rented,
    Retired,
    Risk,
)

MOST_CHARACTERS = 1_000_000
MOST_ROWS = 400
MOST_TEXT = 4_000
MOST_NAME = 120
"""Characters of what names something that there is."""
MOST_COUNT = 1_000_000
LARGEST = 1e300
"""A larger number is no name, and what JSON can write is larger than any float."""
CELLS = 13
"""Twelve months and a total."""
Row = Mapping[str, Any]


def parse(text: str) -> Plan:
    """The plan of the JSON text; an empty one is an empty plan. Raises BadPlan."""
    if len(text) > MOST_CHARACTERS:
        raise BadPlan(f"plan.json has more than {MOST_CHARACTERS:,} characters: shorten it.")
    if not text.strip():
        return Plan()
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        said = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "its numbers"
        raise BadPlan(f"plan.json is not JSON: look at {said}.") from None
    return parse_object(data)


def _no_constant(name: str) -> float:
    raise ValueError(name)


def parse_object(data: Any) -> Plan:
    """The plan of what JSON holds. Raises BadPlan where a table is no list or its row no object.

    A row whose cells are empty or cannot be read is a draft: it is kept out, and `left_out` of the plan says
    so in a sentence; everything else counts.
    """
    if data is None:
        return Plan()
    if not isinstance(data, Mapping):
        raise BadPlan("plan.json must hold an object with purchases, cloud, policies and so on.")
    notes: list[str] = []
    tables = {table: _rows(data, table, read, notes) for table, read in _TABLES.items()}
    return Plan(**tables, claims=_claims(data.get("claims"), notes), left_out=tuple(notes))


def to_json(plan: Plan) -> dict[str, Any]:
    """What parse_object reads as the same plan."""
    found: dict[str, Any] = {
        table: [_plain(one) for one in getattr(plan, table)]
        for table in _TABLES
        if table != "sheet"
    }
    return found | {"sheet": [dict(one) for one in plan.sheet], "claims": dict(plan.claims)}


def _plain(row: Any) -> dict[str, Any]:
    names = {"start": "from", "end": "to"}
    return {
        names.get(key, key): list(value) if isinstance(value, tuple) else value
        for key, value in asdict(row).items()
    }


class _Draft(Exception):
    """A row that is not finished; the message says what it lacks."""


def _rows(data: Row, table: str, read: Any, notes: list[str]) -> tuple[Any, ...]:
    given = data.get(table)
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadPlan(f"{table} in plan.json must be a list.")
    found, ids = [], set()
    for number, row in enumerate(given[:MOST_ROWS], start=1):
        if not isinstance(row, Mapping):
            raise BadPlan(f"Row {number} of {table} in plan.json must be an object.")
        try:
            name = _text(row, "id", 80) or f"{table}-{number}"
            while name in ids:
                name += "+"
            found.append(read(row, name))
            ids.add(name)
        except _Draft as draft:
            notes.append(f"Row {number} of {table} does not count yet: {draft}.")
    if len(given) > MOST_ROWS:
        notes.append(f"{table} has {len(given)} rows: the first {MOST_ROWS} count.")
    return tuple(found)


def _text(row: Row, key: str, most: int = MOST_TEXT) -> str:
    value = row.get(key)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = f"{value:g}" if abs(value) <= LARGEST else ""
    return value.strip()[:most] if isinstance(value, str) else ""


def _needed(row: Row, key: str, said: str = "") -> str:
    value = _text(row, key, MOST_NAME)
    if not value:
        raise _Draft(f"it has no {said or key}")
    return value


def _count(row: Row, key: str = "count", said: str = "count") -> int:
    value = row.get(key)
    if isinstance(value, str):
        try:
            value = float(value.replace(",", "").replace(" ", ""))
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Draft(f"it has no {said}")
    if not 1 <= value <= MOST_COUNT or value != int(value):
        raise _Draft(f"its {said} must be a whole number from 1 to {MOST_COUNT:,}")
    return int(value)


def _names(row: Row, key: str) -> tuple[str, ...]:
    value = row.get(key)
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple):
        return ()
    found = [one.strip()[:80] for one in value if isinstance(one, str)]
    return tuple(dict.fromkeys(one for one in found if one))[:50]


def _purchase(row: Row, name: str) -> Purchase:
    month, item, count = _needed(row, "month"), _needed(row, "item"), _count(row)
    return Purchase(name, month, item, count, _text(row, "site", MOST_NAME), _text(row, "note"))


def _rented(row: Row, name: str) -> Rented:
    kind = _needed(row, "kind", "kind of rent")
    if kind not in CLOUD_KINDS:
        raise _Draft(f"its kind of rent must be one of {', '.join(CLOUD_KINDS)}")
    span = _needed(row, "from", "first month"), _needed(row, "to", "last month")
    gpus = _count(row, "gpus", "number of GPUs")
    return Rented(name, *span, kind, gpus, _text(row, "region", MOST_NAME), _names(row, "classes"))


def _retired(row: Row, name: str) -> Retired:
    month, item = _needed(row, "month"), _needed(row, "item", "node type")
    return Retired(name, month, item, _count(row), _text(row, "site", MOST_NAME))


def _change(row: Row, name: str) -> Change:
    value = row.get("value")
    if isinstance(value, str):
        value = value.strip()[:MOST_NAME]
    if value is None or value == "" or not isinstance(value, str | float | int | bool):
        raise _Draft("it has no value")
    if not isinstance(value, str) and not abs(value) <= LARGEST:
        raise _Draft("its value is no number, or far too large")
    return Change(name, _needed(row, "month"), _needed(row, "policy"), value)


def _phase(row: Row, name: str) -> Phase:
    start, end = _needed(row, "from", "first month"), _needed(row, "to", "last month")
    if end < start:
        raise _Draft("it ends before it begins")
    depends = _names(row, "depends")
    return Phase(name, _needed(row, "name"), start, end, _text(row, "owner"), depends)


def _risk(row: Row, name: str) -> Risk:
    likelihood, impact = (_text(row, key, 20).lower() for key in ("likelihood", "impact"))
    for said, value in (("likelihood", likelihood), ("impact", impact)):
        if value not in LIKELIHOODS:
            raise _Draft(f"its {said} must be one of {', '.join(LIKELIHOODS)}")
    told = (_text(row, key) for key in ("mitigation", "owner", "trigger"))
    return Risk(name, _text(row, "risk") or _needed(row, "risk"), likelihood, impact, *told)


def _line(row: Row, name: str) -> dict[str, object]:
    label = _text(row, "label", 200)
    cells, values = row.get("cells"), row.get("values")
    texts = [_cell(one) for one in cells[:CELLS]] if isinstance(cells, list) else []
    figures = [_figure(one) for one in values[:CELLS]] if isinstance(values, list) else []
    if not label and not any(texts):
        raise _Draft("it has no label and no figures")
    return {
        "label": label,
        "cells": texts + [""] * (CELLS - len(texts)),
        "values": figures + [None] * (CELLS - len(figures)),
    }


_TABLES: Mapping[str, Callable[[Row, str], Any]] = {
    "purchases": _purchase,
    "cloud": _rented,
    "retire": _retired,
    "policies": _change,
    "phases": _phase,
    "risks": _risk,
    "sheet": _line,
}
"""Table of a plan -> what reads a row of it."""


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value}"[:400]
    return value[:400] if isinstance(value, str) else ""


def _figure(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e15 else None


def _claims(given: object, notes: list[str]) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadPlan("claims in plan.json must be an object of names and numbers.")
    found = {}
    for key, value in list(given.items())[:40]:
        figure = _figure(value)
        if figure is not None and math.isfinite(figure):
            found[str(key)[:60]] = figure
        elif value not in (None, ""):
            notes.append(f"The claim {str(key)[:60]} does not count yet: it must be a number.")
    return found
