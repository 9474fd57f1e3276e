"""Slurm's short form of many host names: `n[01-03,07],login1`."""

from __future__ import annotations

import re
from functools import lru_cache

MOST = 20_000
"""Names that one list is believed to hold."""
_LONGEST, _DIGITS = 255, 12
"""Characters of a name, and digits of a number in it."""
_PART = re.compile(r"([^,\[\]]+)(?:\[([0-9,-]+)\])?([^,\[\]]*)(?:,|$)")


@lru_cache(maxsize=256)  # a list may be of MOST names, and what is kept stays in memory
def expand(text: str) -> tuple[str, ...]:
    """The names; none for a list that cannot be read (`None assigned`) or that is unbelievably long."""
    found: list[str] = []
    place = 0
    text = text.strip()
    while place < len(text):
        match = _PART.match(text, place)
        if not match or " " in match[0] or len(match[1]) + len(match[3]) > _LONGEST:
            return ()
        found += [f"{match[1]}{number}{match[3]}" for number in _numbers(match[2])]
        if len(found) > MOST:
            return ()
        place = match.end()
    return tuple(found)


def _numbers(text: str | None) -> list[str]:
    if text is None:
        return [""]
    found: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        last = last or first
        if not (first.isdigit() and last.isdigit()) or max(len(first), len(last)) > _DIGITS:
            return []
        if int(last) - int(first) + len(found) > MOST:
            return []
        found += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return found
