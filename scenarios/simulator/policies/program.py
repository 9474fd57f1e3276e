"""How a program schedules: it is called at ticks and events, sees a snapshot, and acts.

It does not know whether the program is a candidate's, a reference or an optimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scenarios.simulator.engine import RUNNING, Simulation
from scenarios.simulator.policy import Policy
from scenarios.simulator.snapshot import JobView, Snapshot


class Controls:
    """What a program may do at a decision point; an impossible wish is refused and counted."""

    def __init__(self, simulation: Simulation, queue: dict[int, None]) -> None:
        self._simulation, self._queue = simulation, queue
        self.calls = self.refused = 0

    def start(self, job: JobView) -> bool:
        """Start a waiting job now, all of it or nothing; False when it does not fit or wait."""
        simulation, index = self._simulation, job.index
        fits = simulation.machine.fits(simulation.procs[index])
        if not self._counted(index in self._queue and fits):
            return False
        del self._queue[index]
        simulation.start(index)
        return True

    def preempt(self, job: JobView) -> bool:
        """Send a running job back to the end of the queue with its progress; False if it does not run."""
        if not self._counted(self._simulation.state[job.index] == RUNNING):
            return False
        self._simulation.preempt(job.index)
        self._queue[job.index] = None
        return True

    def _counted(self, possible: bool) -> bool:
        self.calls += 1
        self.refused += not possible
        return possible


Control = Callable[[Snapshot, Controls], None]


class Controlled(Policy):
    """A policy that asks a program: after the events of an instant, every so often, or both.

    `every` is in the trace's unit and counts from time 0; between ticks at which nothing is
    waiting or running no call is made. With `at_events` false only ticks ask.
    """

    name = "controlled"

    def __init__(self, control: Control, every: int | None = None, at_events: bool = True) -> None:
        if every is not None and every < 1:
            raise ValueError(f"A program cannot be asked every {every}; give at least 1.")
        self._control, self._every, self._at_events = control, every, at_events
        self._queue: dict[int, None] = {}
        self._due, self._alarm = False, -1
        self.decisions = 0

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self.controls = Controls(simulation, self._queue)

    def submitted(self, job: int) -> None:
        self._queue[job] = None

    def woken(self) -> None:
        self._due = True

    def waiting(self) -> Iterable[int]:
        return iter(self._queue)

    def schedule(self) -> None:
        if self._due or self._at_events:
            self._due = False
            self.decisions += 1
            snapshot = Snapshot(self.simulation, self._queue)
            self._control(snapshot, self.controls)
        self._set_alarm()

    def _set_alarm(self) -> None:
        simulation = self.simulation
        if self._every is None or self._alarm > simulation.now:
            return
        if self._queue or any(True for _ in simulation.running()):
            self._alarm = (simulation.now // self._every + 1) * self._every
            simulation.wake(self._alarm)
