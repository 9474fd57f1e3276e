"""What a row quotes of the bill in any language: figures that belong to one lever alone, and names of places.

A figure counts as quoted where it is one of the lever's own, or the difference of two, as exact as the row
writes it (54k is 54,460). A name is one that the cost rows have: an account, a commitment, a resource.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import floor, log10

from graders.cost.scope import Group

_DAY = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_NUMBER = re.compile(
    r"(?<![0-9A-Za-z.,-])(\d{1,3}(?:[.,  '’]\d{3})+|\d+(?:[.,]\d+)?)(\s?[kK]\b|\s?%|\s?\uff05)?(?!\d|[.,]\d)"
    r"(?!\s?(?:USD|EUR|\$|€|dollars?)\b)"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,  '’]\d{3})+")
LEAST = 100
_YEARS = range(1990, 2101)
_CLOSE = 0.005
_DIGITS = 2
PART, COUNT = 1.3, 1.5
"""What a quoted percentage and a quoted count weigh."""
MOST = 3.0
_NAME = re.compile(r"[\w*-]*[a-z][\w-]*-[\w-]+", re.IGNORECASE)

Facts = Mapping[str, tuple[frozenset[float], frozenset[float]]]
"""Lever -> its counts, and its percentages."""


def numbers(text: str) -> tuple[list[float], list[float]]:
    """Counts from 100 on and percentages of a text, as they are written; no days, years or money."""
    counts, parts = [], []
    for match in _NUMBER.finditer(_DAY.sub(" ", text)):
        value, unit = _value(match[1]), (match[2] or "").strip()
        if unit in ("%", "\uff05"):
            parts.append(value)
        elif unit in ("k", "K"):
            counts.append(value * 1000)
        elif value >= LEAST and not (value in _YEARS and match[1].isdigit()):
            counts.append(value)
    return counts, parts


def _value(text: str) -> float:
    if _THOUSANDS.fullmatch(text):
        return float(re.sub(r"\D", "", text))
    return float(text.replace(",", "."))


def facts_of(told: Mapping[str, str]) -> Facts:
    """What each lever's own sentence has of figures, without those that stand in another's as well."""
    found: dict[str, tuple[set[float], set[float]]] = {}
    for key, text in told.items():
        counts, parts = numbers(text)
        between = {abs(a - b) for a, b in combinations(set(counts), 2) if abs(a - b) >= LEAST}
        found[key] = ({*counts, *between}, set(parts))
    often = Counter(value for counts, _ in found.values() for value in counts)
    return {
        key: (frozenset(one for one in counts if often[one] == 1), frozenset(parts))
        for key, (counts, parts) in found.items()
    }


def quoted(
    text: str, facts: Facts, among: Iterable[str], *, alone: bool = False
) -> dict[str, tuple[float, list[str]]]:
    """Lever -> (what its quoted figures weigh, these), of the levers asked for that a text quotes alone.

    `alone`: by counts only; percentages are many, and mean something beside the rows of few levers.
    """
    counts, parts = numbers(text)
    found: dict[str, tuple[float, list[str]]] = {}
    levers = [key for key in among if key in facts]
    said_parts = [] if alone else [(n, 1, PART) for n in parts]
    for said, kind, weight in [(n, 0, COUNT) for n in counts] + said_parts:
        having = [key for key in levers if any(_same(said, own) for own in facts[key][kind])]
        if len(having) == 1:
            before, told = found.get(having[0], (0.0, []))
            shown = f"{said:,.0f}" if kind == 0 else f"{said:g}%"
            found[having[0]] = (min(MOST, before + weight), [*told, shown])
    return found


def _same(said: float, own: float) -> bool:
    if said == own:
        return True
    if not said or not own or said < LEAST:
        return False
    digits = max(_DIGITS, len(f"{said:.0f}".rstrip("0")))
    step = 10.0 ** (floor(log10(own)) - digits + 1)
    return abs(said - own) <= _CLOSE * own or round(own / step) * step == said


def names_elsewhere(text: str, groups: Sequence[Group], selected: Sequence[Group]) -> str:
    """The first name of the bill's own in a text, where none that it says belongs to the rows selected."""
    said = {word.lower() for word in _NAME.findall(text)}
    here = said & _names(selected)
    away = sorted(said & _names(groups))
    return away[0] if away and not here else ""


def _names(groups: Sequence[Group]) -> set[str]:
    """Names with a hyphen, which no sentence has by chance."""
    return {
        name.lower()
        for group in groups
        for name in (*group.account, *group.resource, *group.commitment)
        if "-" in name and " " not in name
    }
