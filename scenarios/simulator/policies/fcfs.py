"""First come, first served: the queue in order, and nobody passes a job that must wait."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Mapping

from scenarios.simulator.engine import Policy, Simulation


class Fcfs(Policy):
    """Starts from the head of the queue while it fits."""

    name = "fcfs"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._queue: deque[int] = deque()

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._rank = ranks(simulation)

    def submitted(self, job: int) -> None:
        queue = self._queue
        if queue and self._rank[queue[-1]] > self._rank[job]:
            insort(queue, job, key=self._rank.__getitem__)  # a stopped job is back in its place
        else:
            queue.append(job)

    def schedule(self) -> None:
        queue, simulation = self._queue, self.simulation
        fits, procs = simulation.machine.fits, simulation.procs
        while queue and fits(procs[queue[0]]):
            simulation.start(queue.popleft())


def ranks(simulation: Simulation) -> list[int]:
    """Each job's place in the order of submission, for queues that a stopped job rejoins."""
    rank = [0] * len(simulation.order)
    for place, job in enumerate(simulation.order):
        rank[job] = place
    return rank
