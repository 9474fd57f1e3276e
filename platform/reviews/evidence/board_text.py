"""A hypothesis board as staff read it: one block of lines for each hypothesis, in the candidate's order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from reviews.evidence.ordinary_minutes import EVEN, OrdinaryTime

TITLE = "Hypothesis board"
LONGEST_LINE = 300
"""Of a pinned line: more of it is the tool's output and not the candidate's words."""
_KNOWN = {
    "id",
    "status",
    "claim",
    "place",
    "hours",
    "seconds_per_step",
    "priority",
    "mitigation",
    "prevention",
    "reason",
    "opened_min",
    "decided_min",
    "pins",
}
_SAID = (
    ("mitigation", "Mitigation"),
    ("prevention", "Prevention"),
    ("reason", "Reason"),
)


def readable(text: str, ordinary_time: OrdinaryTime = EVEN) -> str | None:
    """The board's file as text, "" where nothing stands on it; None where it is no board.

    Everything that the candidate typed is in it; what a pin quotes is cut to its first line. Minutes
    are those of the ordinary time limit.
    """
    try:
        board = json.loads(text)
        rows = board["hypotheses"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    blocks = [
        "\n".join(_hypothesis(number, row, ordinary_time))
        for number, row in enumerate(rows, start=1)
    ]
    return "\n\n".join(blocks)


def _hypothesis(number: int, row: dict[str, Any], ordinary_time: OrdinaryTime) -> Iterator[str]:
    yield f"Hypothesis {number}: {_text(row.get('status')) or 'open'}"
    yield from _lines("Claim", row.get("claim") or "none written")
    if row.get("place"):
        yield from _lines("Place", row["place"])
    if lost := _lost(row):
        yield f"Time lost: {lost}"
    if (priority := row.get("priority")) not in (None, ""):
        yield f"Priority: {_text(priority)}"
    for key, label in _SAID:
        if row.get(key):
            yield from _lines(label, row[key])
    if when := _minutes(row, ordinary_time):
        yield when
    pins = row.get("pins")
    for at, pin in enumerate(pins if isinstance(pins, list) else [], start=1):
        yield from _lines(f"Pin {at}", _pin(pin) if isinstance(pin, dict) else pin)
    for key in sorted(set(row) - _KNOWN):  # nothing that was handed in is hidden
        yield from _lines(f"Also, {key}", row[key])


def _lines(label: str, value: Any) -> Iterator[str]:
    """ "label: text", with what follows the first line set in."""
    first, *rest = _text(value).split("\n")
    yield f"{label}: {first}"
    yield from (f"    {line}" for line in rest)


def _text(value: Any) -> str:
    """What was typed as it is; anything else as JSON writes it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value, ensure_ascii=False)


def _lost(row: dict[str, Any]) -> str:
    said = [("hours", "hours"), ("seconds_per_step", "seconds per step")]
    return ", ".join(
        f"{_text(row[key])} {unit}" for key, unit in said if row.get(key) not in (None, "")
    )


def _minutes(row: dict[str, Any], ordinary_time: OrdinaryTime) -> str:
    """When it was written down and decided; what is no number is left out: the page writes them."""
    said = [("opened_min", "written down in minute"), ("decided_min", "decided in minute")]
    given = [(how, row.get(key)) for key, how in said]
    found = [
        f"{how} {ordinary_time.minute(value)}"
        for how, value in given
        if isinstance(value, (int, float)) and abs(value) < 1e6
    ]
    text = ", ".join(found)
    return text[:1].upper() + text[1:]


def _pin(pin: dict[str, Any]) -> str:
    kind, note = pin.get("kind"), _text(pin.get("note"))
    if kind in ("log", "config"):
        said = f"{_text(pin.get('path'))}, line {_text(pin.get('line'))}: {_quoted(pin)}"
    elif kind == "chart":
        said = f"chart of {_text(pin.get('metric'))}{_labels(pin.get('labels'))}, {_stretch(pin)}"
    elif kind == "command":
        said = f"{_text(pin.get('command'))} on {_text(pin.get('host'))}: {_quoted(pin)}"
    else:
        said = _text(pin)
    return f"{said} Note: {note}" if note else said


def _labels(labels: Any) -> str:
    if not isinstance(labels, dict) or not labels:
        return _text(labels) if labels else ""
    return "{" + ", ".join(f'{name}="{_text(value)}"' for name, value in labels.items()) + "}"


def _quoted(pin: dict[str, Any]) -> str:
    """The first line of what is pinned and how many follow."""
    first, *rest = _text(pin.get("text")).split("\n")
    cut = first[:LONGEST_LINE] + ("…" if len(first) > LONGEST_LINE else "")
    more = f" (and {len(rest)} more line{'' if len(rest) == 1 else 's'})" if rest else ""
    return f"“{cut}”{more}"


def _stretch(pin: dict[str, Any]) -> str:
    return f"{_moment(pin.get('from_ms'))} to {_moment(pin.get('to_ms'))} UTC"


def _moment(value: Any) -> str:
    try:
        return f"{datetime.fromtimestamp(value / 1000, UTC):%-d %b %Y %H:%M:%S}"
    except (TypeError, ValueError, OverflowError, OSError):
        return _text(value) or "no time"
