"""What tables and texts made of an answer's JSON have in common: cells, lines, nothing left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Table(NamedTuple):
    """Rows of cells under headings; `figures` are the columns that hold numbers, from 0."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: Sequence[int] = ()
    note: str = ""


def load(text: str) -> dict[str, Any] | None:
    """The object in a file's text; None where it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def rows_in(data: Row, key: str) -> list[Row] | None:
    """The list of objects under a key, [] where there is none; None where it is something else."""
    rows = data.get(key)
    if rows is None:
        return []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    return rows


def said(value: Any) -> str:
    """What was typed as it is; numbers with thousands apart; anything else as JSON writes it."""
    if value is None or value == []:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


def number(value: float) -> str:
    """A number for people: 1,250,000 or 12.5."""
    if value != value or abs(value) > 1e15:
        return str(value)
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}".rstrip("0")


def short(value: float) -> str:
    """A figure with as many decimals as can be read."""
    return (
        f"{value:,.2f}"
        if abs(value) < 10
        else f"{value:,.1f}"
        if abs(value) < 1000
        else f"{value:,.0f}"
    )


def lines(label: str, value: Any) -> Iterator[str]:
    """ "label: text", with what follows the first line set in."""
    first, *rest = said(value).split("\n")
    yield f"{label}: {first}"
    yield from (f"    {line}" for line in rest)


def further(row: Row, known: Iterable[str]) -> Iterator[str]:
    """What a row holds under names that nobody knows: nothing that was handed in is hidden."""
    for key in sorted(set(map(str, row)) - set(known)):
        yield from lines(f"Also, {key}", row[key])
