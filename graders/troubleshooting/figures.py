"""Hours and seconds per step that a sentence gives."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scenarios.troubleshooting.physics import STEPS

_NUMBER = r"(?<![\w.,-])~?(\d{1,3}(?:[.,]\d{1,3})?)"
_TO = r"(?:\s*(?:-|–|to)\s*(\d{1,3}(?:[.,]\d{1,3})?))?\s*"
_HOURS = re.compile(
    _NUMBER + _TO + r"(?:h|hr|hrs|hours?)\b(?!\s*(?:ago|before|after|into|later|earlier))", re.I
)
_PER_STEP = re.compile(
    _NUMBER
    + _TO
    + r"(ms|s|sec|secs|seconds?)\s*(?:/|per|a|(?:in |on |of )?(?:each|every))\s*(?:training\s+)?step",
    re.I,
)
_PART = re.compile(
    _NUMBER
    + r"\s*(?:%|percent|per cent)\s*(?:of\s+)?(?:the\s+|all\s+)?"
    + r"(?:gap|lost|loss|slowdown|slow-down|extra|excess|delta|difference|regression)",
    re.I,
)


def hours_of_seconds(seconds: float) -> float:
    """Hours of the whole run that so many seconds per step make."""
    return seconds * STEPS / 3_600


def hours_said(text: str, gap: float, totals: Sequence[float]) -> list[float]:
    """Hours that a sentence puts on something, in its order; a range gives both ends.

    `gap` is the whole of what was lost; the gap itself and durations of whole runs (`totals`) are left out.
    """
    found = [(m.start(), h) for m in _HOURS.finditer(text) for h in _both(m, 1.0)]
    for match in _PER_STEP.finditer(text):
        scale = 0.001 if match.group(3).lower() == "ms" else 1.0
        found += [(match.start(), hours_of_seconds(v)) for v in _both(match, scale)]
    found += [(m.start(), _value(m.group(1)) / 100 * gap) for m in _PART.finditer(text)]
    whole = (gap, *totals)
    return [h for _, h in sorted(found) if not any(abs(h - one) <= 0.03 * one for one in whole)]


def _both(match: re.Match[str], scale: float) -> list[float]:
    return [_value(text) * scale for text in match.groups()[:2] if text]


def _value(text: str) -> float:
    return float(text.replace(",", "."))
