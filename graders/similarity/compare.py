"""Two answers side by side: the passages that both have, longest first, none counted twice.

Greedy string tiling (Wise 1993): the longest run that neither side has used yet is taken, until none is left
that is long enough to be shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graders.similarity.answers import BREAK, Part, own_size
from graders.similarity.tokens import CODE, PROSE
from graders.similarity.winnowing import GRAINS, runs

MOST_PASSAGES = 40
_MOST_PLACES = 12
"""Places of one run that are looked at; a run that is in an answer more often is an idiom of its author."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a part (from 1, both ends in it)."""

    key: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Passage:
    """The same on both sides; `size` counts symbols that are not from the materials."""

    kind: str
    mine: Place
    theirs: Place
    size: int


@dataclass(frozen=True)
class Shared:
    """What two answers have in common. Sizes are symbols: words of prose, words and marks of code."""

    passages: Sequence[Passage]
    sizes: dict[str, int]
    of_mine: dict[str, int]
    of_theirs: dict[str, int]

    @property
    def is_found(self) -> bool:
        """Whether there is enough of one kind to be shown to anybody."""
        return any(map(self._is_enough, self.sizes))

    def _is_enough(self, kind: str) -> bool:
        size, grain = self.sizes[kind], GRAINS[kind]
        of_one = min(self.of_mine[kind], self.of_theirs[kind])
        return size >= grain.finding or (size >= grain.least and size >= grain.part * of_one)

    def share(self, kind: str) -> float:
        """Of the author's own code or prose in this answer, 0 to 1."""
        return self.sizes[kind] / self.of_mine[kind] if self.of_mine[kind] else 0.0


@dataclass(frozen=True, slots=True)
class _Run:
    """The same symbols at two places: numbers of the parts, positions in them."""

    length: int
    mine: int
    at: int
    theirs: int
    to: int


def compare(mine: Sequence[Part], theirs: Sequence[Part]) -> Shared:
    """The passages of two answers, largest first."""
    found = [one for kind in (CODE, PROSE) for one in _passages(kind, mine, theirs)]
    sizes = {kind: sum(one.size for one in found if one.kind == kind) for kind in (CODE, PROSE)}
    found.sort(key=lambda one: (-one.size, one.mine.key, one.mine.first))
    return Shared(
        found[:MOST_PASSAGES],
        sizes,
        {kind: own_size(mine, kind) for kind in sizes},
        {kind: own_size(theirs, kind) for kind in sizes},
    )


def _passages(kind: str, mine: Sequence[Part], theirs: Sequence[Part]) -> list[Passage]:
    ours = [part for part in mine if part.kind == kind]
    others = [part for part in theirs if part.kind == kind]
    used = [[False] * len(part.signs) for part in ours], [[False] * len(p.signs) for p in others]
    found = []
    waiting = sorted(_runs(kind, ours, others), key=lambda one: -one.length)
    for run in waiting:
        clear = _unused(run, *used)
        left, right = ours[run.mine], others[run.theirs]
        for start, end in clear:
            size = min(
                sum(left.own[run.at + start : run.at + end]),
                sum(right.own[run.to + start : run.to + end]),
            )
            if size < GRAINS[kind].passage:
                continue
            used[0][run.mine][run.at + start : run.at + end] = [True] * (end - start)
            used[1][run.theirs][run.to + start : run.to + end] = [True] * (end - start)
            found.append(
                Passage(
                    kind,
                    _place(left, run.at + start, run.at + end),
                    _place(right, run.to + start, run.to + end),
                    size,
                )
            )
    return found


def _place(part: Part, start: int, end: int) -> Place:
    return Place(part.key, part.lines[start], part.lines[end - 1])


def _unused(
    run: _Run, mine: Sequence[Sequence[bool]], theirs: Sequence[Sequence[bool]]
) -> list[tuple[int, int]]:
    """What of a run no earlier passage has taken on either side, as (start, end) from its beginning."""
    found, start = [], None
    for step in range(run.length + 1):
        free = step < run.length and not (
            mine[run.mine][run.at + step] or theirs[run.theirs][run.to + step]
        )
        if free and start is None:
            start = step
        elif not free and start is not None:
            found.append((start, step))
            start = None
    return found


def _runs(kind: str, mine: Sequence[Part], theirs: Sequence[Part]) -> list[_Run]:
    """Every longest run that both have, each once."""
    length = GRAINS[kind].run
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, part in enumerate(theirs):
        for at, value in enumerate(runs(part.signs, length)):
            if any(part.own[at : at + length]):
                places[value].append((number, at))
    found: list[_Run] = []
    reached: dict[tuple[int, int, int], int] = {}  # part, part, shift -> where its last run ended
    for number, part in enumerate(mine):
        for at, value in enumerate(runs(part.signs, length)):
            for other, to in places.get(value, ())[:_MOST_PLACES]:
                diagonal = (number, other, to - at)
                if reached.get(diagonal, -1) > at:
                    continue
                run = _longest(part, at, theirs[other], to, (number, other))
                reached[diagonal] = run.at + run.length - length + 1
                found.append(run)
    return found


def _longest(left: Part, at: int, right: Part, to: int, parts: tuple[int, int]) -> _Run:
    """The run as far as it goes both ways; it never crosses from one text into the next."""
    start = 0
    while at - start > 0 and to - start > 0 and _same(left, at - start - 1, right, to - start - 1):
        start += 1
    end = 0
    most = min(len(left.signs) - at, len(right.signs) - to)
    while end < most and _same(left, at + end, right, to + end):
        end += 1
    return _Run(start + end, parts[0], at - start, parts[1], to - start)


def _same(left: Part, at: int, right: Part, to: int) -> bool:
    return left.signs[at] == right.signs[to] != BREAK
