"""Least attained service in two queues, with preemption: no knowledge of run times."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.simulator.engine import Simulation
from scenarios.simulator.policies.preemptive import Preemptive

THRESHOLD_S = 3_600
"""Time on the machine after which a job moves to the second queue (Tiresias), in seconds."""


class Las(Preemptive):
    """The first queue before the second; in each, running jobs before waiting ones.

    Every job enters the first queue and moves to the end of the second when it has attained
    the threshold. The order within a queue is the order of entry, except that after each
    event its waiting jobs go behind its running ones (as in the Tiresias simulator).
    """

    name = "las"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        super().__init__(cluster)
        self._low: list[int] = []
        self._alarm = -1

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._is_low = bytearray(len(simulation.order))
        self._threshold = THRESHOLD_S * simulation.ticks_per_second

    def ended(self, job: int) -> None:
        (self._low if self._is_low[job] else self._jobs).remove(job)
        del self.on_machine[job]

    def submitted(self, job: int) -> None:
        self._is_low[job] = low = self._service(job) >= self._threshold
        (self._low if low else self._jobs).append(job)

    def schedule(self) -> None:
        self._demote()
        self.give_out([*self._jobs, *self._low])
        for queue in (self._jobs, self._low):
            queue.sort(key=lambda job: job not in self.on_machine)
        self._set_alarm()

    def _service(self, job: int) -> int:
        simulation = self.simulation
        running = self.progress(job) if job in self.on_machine else 0
        return simulation.run_time[job] - simulation.remaining[job] + running

    def _demote(self) -> None:
        on_machine = self.on_machine
        for job in [job for job in self._jobs if job in on_machine]:
            if self._service(job) >= self._threshold:
                self._jobs.remove(job)
                self._low.append(job)
                self._is_low[job] = 1

    def _set_alarm(self) -> None:
        simulation = self.simulation
        running = [job for job in self.on_machine if not self._is_low[job]]
        if running:
            nearest = self._threshold - max(map(self._service, running))
            if simulation.now + nearest != self._alarm:
                self._alarm = simulation.now + nearest
                simulation.wake(self._alarm)
