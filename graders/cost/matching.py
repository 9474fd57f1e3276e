"""Which lever or trap an opportunity means: by the cost rows at which it points, and by its words.

The filter comes first. Where it lies on the rows of one lever alone it decides; where several act on the same
rows the words choose among them; without a filter the words have to be plain. What stays open is said to be
open: no row is taken for the likelier of two readings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from graders.cost.answer import Opportunity
from graders.cost.quoting import Facts, names_elsewhere, quoted
from graders.cost.scope import Group, by_line
from graders.cost.words import NEEDED, Heard, heard, words
from scenarios.cost.catalogue import Lever, Trap, levers, traps

Json = dict[str, Any]
STATES, NONE = "states", "none"
VERDICTS = (STATES, NONE)
WORDS, FILTER, BOTH = "words", "filter", "both"
"""What a reading rests on."""
WHOLLY = 0.95
"""Part of the selected cost from which on a filter lies wholly on a lever."""
_MOSTLY = 0.5
_APART = 0.75
"""By which the best reading weighs more than the next one, or neither is taken."""
_TWO_HINTS = 1.3
"""What two hints weigh at least: one alone decides nothing where several subjects share the rows."""
_PARTS = re.compile(r"[,;]|\b(?:and|und|et|y)\b")
_ELSEWHERE = 0.15
"""What words weigh that speak of other rows than those of the filter."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a row is taken for, or None, and of which subjects one is meant where that is open."""

    subject: str | None
    rests: str
    place: float
    weight: float
    hits: tuple[str, ...]
    open: tuple[str, ...] = ()
    against: str = ""
    """What its words say of another place, where the filter alone decided."""


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


def matches(found: Reading, *, pointed: bool) -> list[Json]:
    """The subject that a row means, as a list of one; none where that is open or not known.

    `pointed`: whether its filter selects rows.
    """
    if found.subject is None:
        return []
    return [
        {
            "subject": found.subject,
            "title": subject(found.subject).title,
            "verdict": STATES,
            "words": sorted(found.hits),
            "placed": bool(found.place),
            "rests": found.rests,
            "weight": round(found.weight, 4),
            "against": found.against,
            "why": _why(found, pointed),
        }
    ]


def doubt(found: Reading) -> str:
    """What a row can be taken for where that is open, in one sentence; "" where it is not."""
    if not found.open:
        return ""
    titles = " or ".join(f"“{subject(key).title}”" for key in found.open)
    return f"It can be read as {titles}; which is meant is for you to say."


def reading_of(
    row: Opportunity,
    selected: Sequence[Group],
    groups: Sequence[Group] = (),
    facts: Facts = MappingProxyType({}),
) -> Reading:
    """What a row means, with what the reading rests on.

    `groups` are all cost rows of the bill and `facts` the figures of its levers: what a row quotes of them
    counts in any language.
    """
    places, alone = _places(selected), alone_on(selected)
    here = [key for key, place in places.items() if place >= _MOSTLY]
    figures = quoted(row.what, facts, here)
    best = _weighed(row.what, places, alone, figures)
    near = [one for one in best if best[0].weight - one.weight < _APART]
    several = _of_several(row.what, places, alone)
    if len(several) > 1:
        return Reading(None, "", 0.0, 0.0, (), tuple(several[:3]))
    against = _elsewhere(row.what, selected, groups, facts)
    if len(near) == 1:
        if near[0].rests == WORDS and places:
            against = f"“{near[0].hits[0]}”"
        return replace(near[0], against="" if figures else against)
    if not near and alone:
        return Reading(alone, FILTER, 1.0, 1.0, (), against=against)
    return Reading(None, "", 0.0, 0.0, (), tuple(one.subject for one in near[:3] if one.subject))


def _elsewhere(text: str, selected: Sequence[Group], groups: Sequence[Group], facts: Facts) -> str:
    """What a row names, quotes or plainly says that belongs to other rows than its filter selects, or ""."""
    places = _places(selected)
    if not places:
        return ""
    if name := names_elsewhere(text, groups, selected):
        return name
    told = quoted(text, facts, facts, alone=True)
    if told and not any(places.get(key) for key in told):
        return next(iter(told.values()))[1][0]
    plain = _weighed(text, {}, "", {})
    clear = plain and (len(plain) == 1 or plain[0].weight - plain[1].weight >= _APART)
    if clear and plain[0].subject and not places.get(plain[0].subject):
        return f"“{plain[0].hits[0]}”" if plain[0].hits else ""
    return ""


def _weighed(
    text: str,
    places: Mapping[str, float],
    alone: str,
    figures: Mapping[str, tuple[float, Sequence[str]]],
) -> list[Reading]:
    """Every subject of which a sentence can speak, the likeliest first."""
    found = []
    for key in words():
        place = places.get(key, 0.0)
        one = heard(key, text, here=place >= _MOSTLY)
        more, said = figures.get(key, (0.0, ()))
        weight = _weight(key, one, places) + more
        plain = one.plain and not one.against
        if weight and (plain or key == alone or weight >= _TWO_HINTS):
            rests = BOTH if place else WORDS
            found.append(Reading(key, rests, place, weight, (*one.hits, *said)))
    return sorted(found, key=lambda one: -one.weight)


def _of_several(text: str, places: Mapping[str, float], alone: str) -> list[str]:
    """What the parts of a sentence plainly say, where they say more than one thing."""
    said = []
    for part in _PARTS.split(text):
        best = _weighed(part, places, alone, {})
        sure = best and (len(best) == 1 or best[0].weight - best[1].weight >= _APART)
        if sure and best[0].weight >= NEEDED * _scale(best[0].place) and best[0].subject:
            said.append(best[0].subject)
    return list(dict.fromkeys(said))


def _places(selected: Sequence[Group]) -> Mapping[str, float]:
    """Subject -> part of the cost selected that lies where it acts; empty where no rows are selected."""
    lines = by_line(selected)
    whole = sum(lines.values())
    if not whole:
        return {}
    return {key: sum(lines.get(line, 0) for line in lines_of(key)) / whole for key in subjects()}


def _weight(key: str, one: Heard, places: Mapping[str, float]) -> float:
    """How much speaks for a subject; 0 where it is no reading of this row."""
    if not one.weight or (key in traps() and (one.against or not one.plain)):
        return 0.0
    if not places:
        return one.weight if one.plain and not one.against else 0.0
    if not places[key]:
        apart = any(place >= WHOLLY for place in places.values())
        said = one.plain and one.further and not one.against and key in levers()
        return 0.0 if apart or not said else one.weight * _ELSEWHERE
    if places[key] < _MOSTLY and not one.plain:
        return 0.0
    return one.weight * _scale(places[key])


def _scale(place: float) -> float:
    """What of the words counts for the part of the selected cost that lies where they say."""
    return 0.25 + 0.75 * place if place else 1.0


def alone_on(selected: Sequence[Group]) -> str:
    """The lever on whose rows alone a filter lies, "" where there is none or more than one.

    Of two that act on all the selected rows, the one with fewer lines is meant.
    """
    lines = by_line(selected)
    whole = sum(lines.values())
    on = [
        one
        for one in levers().values()
        if one.plantable
        and whole
        and sum(lines.get(line, 0) for line in one.lines) >= WHOLLY * whole
    ]
    fewest = min((len(one.lines) for one in on), default=0)
    closest = [one.key for one in on if len(one.lines) == fewest]
    return closest[0] if len(closest) == 1 else ""


def _why(found: Reading, pointed: bool) -> str:
    if found.against:
        return (
            f"It speaks of {found.against}, which does not lie where it points: this counts as named, and its"
            " figure for nothing."
        )
    if found.rests == FILTER:
        return (
            "All of the cost at which it points is where this alone acts; its words say nothing"
            " that is known."
        )
    said = f"It says {', '.join(f'“{hit}”' for hit in found.hits)}"
    if not pointed:
        return f"{said}; it points at no rows."
    if not found.place:
        return f"{said}, but points at rows on which this does not act."
    return f"{said}, and {found.place:.0%} of the cost at which it points is where this acts."
