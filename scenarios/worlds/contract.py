"""What a world offers to packs and graders; a world is a folder that exports `WORLD`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from scenarios.company.profile import Profile
from scenarios.worlds.checks import Check
from scenarios.worlds.episode import Episode
from scenarios.worlds.timeline import Series

__all__ = ["Episode", "Figures", "Series", "UnknownWorld", "World"]

Figures = Mapping[str, Any]
"""Raw figures of one workload: JSON data, units in the names of the keys."""

S = TypeVar("S")
"""What a level of a pack sets: the world's own type, read from `[levels.X.settings]`."""


@dataclass(frozen=True)
class World(Generic[S]):
    """A kind of simulated cluster.

    `span` is what one workload is called ("day"). `methods` names every call and the check of
    each parameter. `measures` turn the figures of all workloads into one value, None where
    nothing applies. `settings` reads a level's table and raises ValueError for anything wrong.
    `open(profile, settings, family, seed, faults=True)` gives a fresh episode; without faults the
    API never fails, though machines still do. `words` fill the places of a pack's texts;
    `documents` are made by the world from (profile, settings, seed). `bound` computes figures
    with knowledge of the future, for packs whose reference is a bound and not a program.
    `plays_on` names the modules below `scenarios.simulator` that queue, placement, preemption,
    pools and faults come from.
    """

    name: str
    span: str
    families: tuple[str, ...]
    methods: Mapping[str, Mapping[str, Check]]
    series: tuple[Series, ...]
    measures: Mapping[str, Callable[[Sequence[Figures]], float | None]]
    settings: Callable[[Mapping[str, Any]], S]
    open: Callable[..., Episode]
    words: Callable[[Profile, S], Mapping[str, str]]
    documents: Mapping[str, Callable[[Profile, S, str], str]]
    summary: Callable[[Figures], dict[str, Any]]
    account: Callable[[Figures], str]
    bound: Callable[[Profile, S, str, str], Figures] | None = None
    plays_on: tuple[str, ...] = ()

    def spans(self, number: int) -> str:
        """What that many workloads are called: "day", "days", "stretches of days"."""
        if number == 1:
            return self.span
        head, of, rest = self.span.partition(" of ")
        return f"{head}{'es' if head.endswith('ch') else 's'}{of}{rest}"


class UnknownWorld(LookupError):
    """There is no such world; the message is one sentence."""
