"""Shortest job first by estimate, without backfill and without preemption."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from scenarios.simulator.engine import Policy, Simulation
from scenarios.simulator.policies.fcfs import ranks


class Sjf(Policy):
    """Starts the waiting job of smallest estimate while it fits; ties in order of submission."""

    name = "sjf"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._rank = ranks(simulation)

    def submitted(self, job: int) -> None:
        heappush(self._heap, (self.simulation.estimate[job], self._rank[job], job))

    def schedule(self) -> None:
        heap, simulation = self._heap, self.simulation
        fits, procs = simulation.machine.fits, simulation.procs
        while heap and fits(procs[heap[0][2]]):
            simulation.start(heappop(heap)[2])
