"""The words of levers and traps in every language that is read, and how much of a sentence speaks for one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish"}
"""In which a table may be written; filters and figures are read in any."""
NEEDED, FURTHER, HINTS = 2.0, 0.5, 3
"""What the words that a subject needs weigh, what all further ones do, and how many hints count, each 1."""
_AGAINST = 0.4
"""What words that speak for another lever leave of it."""
_Patterns = tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Compiled words of one subject in one language."""

    needs: _Patterns
    also: _Patterns
    never: _Patterns
    here: _Patterns
    risk: _Patterns


@dataclass(frozen=True, slots=True)
class Heard:
    """What a sentence says of a subject; `plain` is what says it wherever the filter lies."""

    weight: float
    plain: bool
    against: bool
    further: bool
    hits: tuple[str, ...]


@cache
def words() -> Mapping[str, Mapping[str, Words]]:
    """Subject -> language -> its words."""
    english = _table("words.toml")
    found = {key: {"en": _compiled(row)} for key, row in english.items()}
    for language in LANGUAGES:
        if language != "en":
            data = _table(f"words_{language}.toml")
            for key, says in data["says"].items():
                single = {part: [one] for part in ("risk", "never") if (one := data[part].get(key))}
                found[key][language] = _compiled({"needs": says[:1], "here": says, **single})
    return found


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def _compiled(row: Mapping[str, Sequence[str]]) -> Words:
    return Words(
        *(tuple(re.compile(one, re.I) for one in row.get(part, [])) for part in Words.__slots__)
    )


def heard(key: str, text: str, *, here: bool) -> Heard:
    """What the sentence says of the subject; hints count where the filter lies on its rows (`here`)."""
    languages = words()[key].values()
    against = any(_hits(own.never, text) for own in languages)
    return max((_heard(own, text, here, against) for own in languages), key=lambda one: one.weight)


def _heard(own: Words, text: str, here: bool, against: bool) -> Heard:
    needed = _hits(own.needs, text)
    plain = len(needed) == len(own.needs)
    more = _hits(own.also, text) if plain else []
    hints = _hits(own.here, text) if here else []
    if plain:
        # a word that says it plainly is no hint beside itself
        hints = [one for one in hints if not any(_meet(one, other) for other in needed)]
    weight = float(min(HINTS, len(hints)))
    if plain:
        weight += NEEDED * len(own.needs) ** 0.5 + FURTHER * len(more) / max(1, len(own.also))
    found = (*(needed if plain else ()), *more, *hints)
    hits = tuple(dict.fromkeys(one[0].lower() for one in found))
    return Heard(weight * (_AGAINST if against else 1), plain, against, bool(more), hits)


def _hits(patterns: _Patterns, text: str) -> list[re.Match[str]]:
    return [hit for pattern in patterns if (hit := pattern.search(text))]


def _meet(one: re.Match[str], other: re.Match[str]) -> bool:
    return one.start() < other.end() and other.start() < one.end()


def fitting_risk(key: str, text: str) -> bool:
    """Whether a stated risk is one that this lever has."""
    return any(
        pattern.search(text) for own in words().get(key, {}).values() for pattern in own.risk
    )
