"""The opportunity table of a cost exercise as staff read it: a table, and the same line by line."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten
from typing import Any

from reviews.evidence.structured import Row, Table, further, lines, load, number, rows_in, said

TITLE = "Opportunity table"
KEY = "opportunities"
SHOWN_WORDS = 80
"""Letters of a recommendation by which the candidate knows it again."""
HEAD = (
    "Id",
    "Priority",
    "What",
    "Where",
    "Saving",
    "Complexity",
    "Risk",
    "Time",
    "Depends on",
)
_KNOWN = (
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
_SAID = (
    ("complexity", "Complexity"),
    ("risk", "Risk"),
    ("timeline", "Time"),
    ("dependency", "Depends on"),
)


def rows_of(text: str) -> list[Row] | None:
    """The rows in the candidate's order; None where the text is no such table."""
    data = load(text)
    return None if data is None else rows_in(data, KEY)


def readable(text: str) -> str | None:
    """The file as lines, "" where nothing stands in it; None where it is no such table."""
    rows = rows_of(text)
    if rows is None:
        return None
    return "\n\n".join("\n".join(_lines(number, row)) for number, row in enumerate(rows, start=1))


def tables(text: str) -> list[Table]:
    """The rows as one table; none where there are none."""
    rows = rows_of(text)
    return [Table(TITLE, HEAD, [_cells(row) for row in rows], (0, 1))] if rows else []


def place_of(text: str, given: str) -> str:
    """What a row is called for the candidate: "Recommendation 3 (Move batch work to …)"; "" for none."""
    for at, row in enumerate(rows_of(text) or [], start=1):
        if id_of(row, at) == given:
            short = shorten(said(row.get("what")), SHOWN_WORDS, placeholder="…")
            return f"Recommendation {at} ({short})" if short else f"Recommendation {at}"
    return ""


def id_of(row: Row, at: int) -> str:
    """The name of a row, or its number where it has none, as the grader calls it."""
    given = row.get("id")
    return str(at) if given in (None, "") else said(given)


def _lines(at: int, row: Row) -> Iterator[str]:
    yield f"Opportunity {at} (id {id_of(row, at)})"
    yield from lines("What", row.get("what") or "none written")
    if where := _where(row.get("where")):
        yield f"Where: {where}"
    if saving := _saving(row.get("saving")):
        yield f"Saving: {saving}"
    for key, label in _SAID:
        if row.get(key):
            yield from lines(label, row[key])
    if row.get("priority") is not None:
        yield f"Priority: {said(row['priority'])}"
    yield from further(row, _KNOWN)


def _cells(row: Row) -> list[str]:
    more = [said(row.get(key)) for key, _ in _SAID]
    extra = "; ".join(further(row, _KNOWN))
    what = said(row.get("what"))
    return [
        said(row.get("id")),
        said(row.get("priority")),
        f"{what} {extra}".strip(),
        _where(row.get("where")),
        _saving(row.get("saving")),
        *more,
    ]


def _where(value: Any) -> str:
    """A filter as "account cluster-burst; service Compute or Storage"."""
    if not isinstance(value, dict):
        return said(value)
    parts = []
    for key, values in value.items():
        found = [said(one) for one in values] if isinstance(values, list) else [said(values)]
        parts.append(f"{key} {' or '.join(found)}".strip())
    return "; ".join(parts)


def _saving(value: Any) -> str:
    """ "120,000 a year", "12 % of GPU rental"; what is no saving as JSON writes it."""
    if not isinstance(value, dict):
        return said(value)
    amount, of = value.get("value"), said(value.get("of"))
    if amount is None and value.get("typed"):
        return f"“{said(value['typed'])}”, which is no amount"
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        return " of ".join(part for part in (said(amount), of) if part)
    if value.get("kind") == "percent":
        return f"{number(amount)} % of {of or 'the rows of its filter'}"
    return f"{number(amount)} a year{f', of {of}' if of else ''}"
