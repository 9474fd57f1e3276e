"""Room on every node over time to come, as one plan of the backfill scheduler sees it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from scenarios.simulator.slurm.nodes import Demand, choose

Held = tuple[int, int, int]
"""(mask of whole nodes, mask of one shared node or 0, GPUs on that node)."""

ANYWHERE = -1
"""The mask of every node there is or will be."""


class Plan:
    """Steps of free room: `times[i]` up to `times[i + 1]`, the last step without end.

    `levels[k][i]` is the mask of nodes with at least k GPUs free during step i, for k
    from 1 to the GPUs of a node; `levels[0]` is unused. Times are integers of any unit.
    """

    __slots__ = ("_found", "levels", "per_node", "times")

    def __init__(self, now: int, at_least: list[int]) -> None:
        self.per_node = len(at_least) - 1
        self.times = [now]
        self.levels = [[mask] for mask in at_least]
        self._found: dict[tuple[Demand, int], list[tuple[int, int]]] = {}

    def add_ends(self, ends: Iterable[tuple[int, Held]]) -> None:
        """Running jobs give back what they hold at their planned ends, given in ascending order."""
        for end, held in ends:
            if end > self.times[-1]:
                self.times.append(end)
                for masks in self.levels:
                    masks.append(masks[-1])
            _give(self.levels, len(self.times) - 1, held)

    def free_at_start(self) -> list[int]:
        """Masks of the nodes with so many GPUs free in the first step, from 0 up."""
        return [masks[0] for masks in self.levels]

    def earliest(
        self, demand: Demand, duration: int, within: int = ANYWHERE
    ) -> tuple[int, tuple[int, int]] | None:
        """(start, chosen masks) of the first instant with room for all of `duration`.

        None where the demand never fits. The nodes are the ones Slurm would choose
        among those of the mask `within` that stay free from that start to the end.
        """
        known = self._found.setdefault((demand, within), [])
        # Room only shrinks: what took a shorter job until then lets no longer one in before.
        since = max((start for length, start in known if length <= duration), default=self.times[0])
        slot = self._search(demand, duration, within, bisect_left(self.times, since))
        if slot is not None:
            known[:] = [pair for pair in known if pair[0] < duration or pair[1] > slot[0]]
            known.append((duration, slot[0]))
        return slot

    def _search(
        self, demand: Demand, duration: int, within: int, step: int
    ) -> tuple[int, tuple[int, int]] | None:
        whole, rest = demand
        full, part = self.levels[-1], self.levels[rest]
        while True:
            step, all_full = self._steady(full, whole, step, duration, within)
            if step < 0:
                return None
            if not rest:
                all_part = all_full
                break
            later, all_part = self._steady(part, whole + 1, step, duration, within)
            if later == step:
                break
            if later < 0:
                return None
            step = later
        now = [masks[step] for masks in self.levels]
        return self.times[step], choose(all_full, all_part, demand, now)

    def _steady(
        self, masks: list[int], need: int, step: int, duration: int, within: int
    ) -> tuple[int, int]:
        """First step from `step` on at which `need` nodes of `masks` are there to stay, and they.

        (-1, 0) where there is none. A step that lacks nodes by itself rules out every
        start before it whose time would reach it.
        """
        times = self.times
        count = len(times)
        while step < count:
            nodes = masks[step] & within
            end = times[step] + duration
            ahead = step
            while nodes.bit_count() >= need:
                ahead += 1
                if ahead == count or times[ahead] >= end:
                    return step, nodes
                nodes &= masks[ahead]
            step = ahead + 1 if (masks[ahead] & within).bit_count() < need else step + 1
        return -1, 0

    def reserve(self, start: int, duration: int, held: Held) -> None:
        """Take what `held` names from `start` on for `duration`."""
        first = self._cut(start)
        last = self._cut(start + duration)
        for step in range(first, last):
            _take(self.levels, step, held)

    def _cut(self, time: int) -> int:
        """The step that begins at `time`, made where there is none yet."""
        step = bisect_left(self.times, time)
        if step == len(self.times) or self.times[step] != time:
            self.times.insert(step, time)
            for masks in self.levels:
                masks.insert(step, masks[step - 1])
        return step


def _take(levels: list[list[int]], step: int, held: Held) -> None:
    whole, shared, gpus = held
    for masks in levels:
        masks[step] &= ~whole
    if shared:
        top = len(levels) - 1
        for level in range(1, top + 1):
            above = levels[level + gpus][step] & shared if level + gpus <= top else 0
            levels[level][step] = levels[level][step] & ~shared | above


def _give(levels: list[list[int]], step: int, held: Held) -> None:
    whole, shared, gpus = held
    for masks in levels:
        masks[step] |= whole
    if shared:
        for level in range(len(levels) - 1, 0, -1):
            below = levels[level - gpus][step] & shared if level > gpus else shared
            levels[level][step] |= below
