"""Whom Slurm evicts so that a job of higher standing can start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scenarios.simulator.slurm.nodes import Demand, members
from scenarios.simulator.slurm.plan import Held


class Victim(NamedTuple):
    """A running job that may be evicted, with what it holds."""

    job: int
    held: Held


def find_victims(
    demand: Demand, at_least: Sequence[int], victims: Sequence[Victim]
) -> tuple[list[int], Held] | None:
    """(jobs to evict, what the newcomer gets), or None where evicting all would not do.

    `victims` come in the order in which they are given up; `at_least[k]` has the nodes
    with k or more GPUs free. Node by node the choice falls where the fewest jobs go,
    then the fewest GPUs, then the lowest number: one job of the right size rather than
    several small ones, as slurmctld 22.05.8 was seen to do.
    """
    search = _Search(at_least, victims)
    whole = 0
    per_node = len(at_least) - 1
    for _ in range(demand[0]):
        node = search.best(per_node, whole)
        if node < 0:
            return None
        whole |= 1 << node
    shared = 0
    if demand[1]:
        node = search.best(demand[1], whole)
        if node < 0:
            return None
        shared = 1 << node
    return search.evicted, (whole, shared, demand[1])


class _Search:
    """Free GPUs and evictable jobs per node, as the choice goes on."""

    def __init__(self, at_least: Sequence[int], victims: Sequence[Victim]) -> None:
        self.free = {
            node: sum(mask >> node & 1 for mask in at_least[1:]) for node in members(at_least[0])
        }
        self.evicted: list[int] = []
        self._held = {victim.job: victim.held for victim in victims}
        self._on: dict[int, list[tuple[int, int]]] = {node: [] for node in self.free}
        self._per_node = len(at_least) - 1
        for job, held in victims:
            for node, gpus in self._shares(held):
                if node in self._on:
                    self._on[node].append((job, gpus))

    def _shares(self, held: Held) -> list[tuple[int, int]]:
        whole, shared, gpus = held
        return [(node, self._per_node) for node in members(whole)] + [
            (node, gpus) for node in members(shared)
        ]

    def best(self, gpus: int, taken: int) -> int:
        """Clear `gpus` on the cheapest node outside `taken` and return it; -1 where none can be."""
        choices = []
        for node in self.free:
            if taken >> node & 1:
                continue
            going = self._clear(node, gpus - self.free[node])
            if going is not None:
                choices.append((len(going), sum(size for _, size in going), node, going))
        if not choices:
            return -1
        _, _, node, going = min(choices)
        for job, _ in going:
            self._evict(job)
        return node

    def _clear(self, node: int, lacking: int) -> list[tuple[int, int]] | None:
        """The fewest evictable jobs on `node` that free what is lacking; None if all do not."""
        if lacking <= 0:
            return []
        enough = [each for each in self._on[node] if each[1] >= lacking]
        if enough:
            return [min(enough, key=lambda each: each[1])]
        going = []
        for job, gpus in sorted(self._on[node], key=lambda each: -each[1]):
            going.append((job, gpus))
            lacking -= gpus
            if lacking <= 0:
                return going
        return None

    def _evict(self, job: int) -> None:
        self.evicted.append(job)
        for node, gpus in self._shares(self._held[job]):
            if node in self._on:
                self.free[node] += gpus
                self._on[node] = [each for each in self._on[node] if each[0] != job]
