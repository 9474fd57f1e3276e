"""Shortest remaining time first, with preemption that costs nothing."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.simulator.engine import Simulation
from scenarios.simulator.policies.preemptive import Preemptive


class Srtf(Preemptive):
    """Ranks by remaining run time, known exactly; ties keep the order of the event before."""

    name = "srtf"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        super().__init__(cluster)
        self._left: list[int] = []

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._left = [run * self.weight(job) for job, run in enumerate(simulation.remaining)]

    def submitted(self, job: int) -> None:
        super().submitted(job)
        self._left[job] = self.simulation.remaining[job] * self.weight(job)

    def weight(self, job: int) -> int:
        """What a unit of remaining time of `job` counts."""
        return 1

    def schedule(self) -> None:
        simulation, left = self.simulation, self._left
        for job in self.on_machine:
            left[job] = (simulation.remaining[job] - self.progress(job)) * self.weight(job)
        self._jobs.sort(key=left.__getitem__)
        self.give_out(self._jobs)
