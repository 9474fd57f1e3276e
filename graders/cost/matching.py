"""Which lever or trap an opportunity means: by its words, and by the cost rows at which it points."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from graders.cost.answer import Opportunity
from graders.cost.scope import Group, by_line
from scenarios.cost.catalogue import Lever, Trap, levers, traps

Json = dict[str, Any]
STATES, NONE = "states", "none"
VERDICTS = (STATES, NONE)
_NO_FILTER = 0.35
"""How well words alone place an opportunity that points at no rows."""
_AGAINST = 0.4
"""What words that speak for another lever leave of it."""
_ELSEWHERE = 0.04
"""The same for one that points only at other rows; it has to say more than it needs, and nothing against."""


@dataclass(frozen=True, slots=True)
class Words:
    """Compiled words of one subject."""

    needs: tuple[re.Pattern[str], ...]
    also: tuple[re.Pattern[str], ...]
    never: tuple[re.Pattern[str], ...]
    risk: tuple[re.Pattern[str], ...]


@cache
def words() -> Mapping[str, Words]:
    """Subject -> its words."""
    data = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
    return {
        key: Words(
            *(tuple(re.compile(one, re.I) for one in row.get(part, [])) for part in Words.__slots__)
        )
        for key, row in data.items()
    }


def subject(key: str) -> Lever | Trap:
    """The lever or trap of that key. Raises KeyError."""
    return levers()[key] if key in levers() else traps()[key]


def subjects() -> list[str]:
    """Keys of all levers and traps."""
    return [*levers(), *traps()]


def lines_of(key: str) -> tuple[str, ...]:
    """Lines at which an answer may point when it means this subject."""
    one = subject(key)
    return (*one.lines, *one.seen) if isinstance(one, Lever) else one.lines


def match(row: Opportunity, selected: Sequence[Group]) -> list[Json]:
    """The subject that the opportunity most likely means, as a list of one or none.

    A subject is known by all words that it needs; of several that is taken whose lines hold most of the
    cost of the selected rows, weighed with further words.
    """
    found = [one for key in words() if (one := _judge(key, row, selected))]
    if not found:
        return []
    best = max(found, key=lambda one: (one["weight"], -subjects().index(one["subject"])))
    return [best]


def _judge(key: str, row: Opportunity, selected: Sequence[Group]) -> Json | None:
    own = words()[key]
    said = [pattern.search(row.what) for pattern in own.needs]
    against = any(pattern.search(row.what) for pattern in own.never)
    if not all(said) or (against and key in traps()):
        return None
    more = [hit for pattern in own.also if (hit := pattern.search(row.what))]
    place = _place(key, bool(selected), selected)
    if place <= _ELSEWHERE and (key in traps() or against or not more):
        return None
    hits = [hit[0] for hit in (*said, *more) if hit]
    closer = len(own.needs) ** 0.5 * (1 + 0.5 * len(more) / max(1, len(own.also)))
    weight = place * closer * (_AGAINST if against else 1)
    return {
        "subject": key,
        "title": subject(key).title,
        "verdict": STATES,
        "words": sorted({hit.lower() for hit in hits}),
        "placed": place > _ELSEWHERE,
        "weight": round(weight, 4),
        "why": _why(key, hits, bool(selected), place),
    }


def _place(key: str, pointed: bool, selected: Sequence[Group]) -> float:
    if not pointed:
        return _NO_FILTER
    lines = by_line(selected)
    own = sum(lines.get(line, 0) for line in lines_of(key))
    if not own:
        return _ELSEWHERE
    return max(0.05, own / max(1, sum(lines.values())))


def _why(key: str, hits: Sequence[str], pointed: bool, place: float) -> str:
    said = f"It says {', '.join(f'“{hit}”' for hit in dict.fromkeys(hits))}"
    if not pointed:
        return f"{said}; it points at no rows."
    if place <= _ELSEWHERE:
        return f"{said}, but points at rows on which this does not act."
    return f"{said}, and {place:.0%} of the cost at which it points is where this acts."


def fitting_risk(key: str, text: str) -> bool:
    """Whether a stated risk is one that this lever has."""
    return any(pattern.search(text) for pattern in words()[key].risk) if key in words() else False
