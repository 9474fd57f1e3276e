"""EASY backfill whose tail is tried shortest estimate first."""

from __future__ import annotations

from scenarios.simulator.policies.easy import Easy
from scenarios.simulator.policies.waiting import NONE, first_within


class EasySjbf(Easy):
    """As Easy; among those who may pass, the smallest estimate goes first, then submission."""

    name = "easy-sjbf"

    def _next(self, room: int, spare: int, slack: int) -> int:
        best, shortest = NONE, NONE
        for size, tree, places in self._queue.trees:
            if size > room:
                break
            length = tree[1]
            if length <= shortest and length <= (slack if size > spare else NONE - 1):
                rank = places[first_within(tree, length)]
                if length < shortest or rank < best:
                    best, shortest = rank, length
        return self._queue.at(best) if best < NONE else -1

    def _in_tail_order(self, jobs: list[int]) -> list[int]:
        return sorted(jobs, key=self._length)
