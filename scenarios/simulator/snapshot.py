"""What a controller may see of a simulation: a view, each part built when it is asked for.

It holds no copy of the machine and shows no run time: that lies in the future.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from scenarios.simulator.engine import RUNNING, Simulation
from scenarios.simulator.machine import Nodes, Share


class JobView:
    """One job as its owner described it, and what has happened to it; times in the trace's unit."""

    __slots__ = ("_simulation", "index")

    def __init__(self, simulation: Simulation, index: int) -> None:
        self._simulation, self.index = simulation, index

    @property
    def job_id(self) -> int:
        return self._simulation.workload.job_id[self.index]

    @property
    def submit(self) -> int:
        return self._simulation.submit[self.index]

    @property
    def estimate(self) -> int:
        return self._simulation.estimate[self.index]

    @property
    def procs(self) -> int:
        return self._simulation.procs[self.index]

    @property
    def user(self) -> str:
        return self._simulation.workload.user[self.index]

    @property
    def account(self) -> str:
        return self._simulation.workload.account[self.index]

    @property
    def partition(self) -> str:
        return self._simulation.workload.partition[self.index]

    @property
    def qos(self) -> str:
        return self._simulation.workload.qos[self.index]

    @property
    def priority(self) -> int:
        return self._simulation.workload.priority[self.index]

    @property
    def began(self) -> int | None:
        """Its latest start, if it runs."""
        running = self._simulation.state[self.index] == RUNNING
        return self._simulation.began[self.index] if running else None

    @property
    def preemptions(self) -> int:
        return self._simulation.preemptions[self.index]

    @property
    def attained(self) -> int:
        """Time on the machine so far."""
        served, began = self._simulation.served[self.index], self.began
        return served if began is None else served + self._simulation.now - began

    @property
    def nodes(self) -> tuple[Share, ...]:
        """(node, GPUs) where it runs; empty on a pool or while it waits."""
        machine = self._simulation.machine
        return machine.where.get(self.index, ()) if isinstance(machine, Nodes) else ()


class Snapshot:
    """The cluster at one decision point; keep nothing of it for the next."""

    def __init__(self, simulation: Simulation, waiting: Iterable[int]) -> None:
        self._simulation, self._waiting = simulation, waiting
        self.now = simulation.now
        self.capacity, self.free = simulation.machine.capacity, simulation.machine.free

    @property
    def largest(self) -> int:
        """The largest job that would fit at this moment, after what was done since."""
        return self._simulation.machine.largest()

    @cached_property
    def waiting(self) -> tuple[JobView, ...]:
        """In the order in which they joined the queue."""
        return tuple(JobView(self._simulation, job) for job in self._waiting)

    @cached_property
    def running(self) -> tuple[JobView, ...]:
        """In the order of their latest start."""
        return tuple(JobView(self._simulation, job) for job in self._simulation.running())

    @cached_property
    def free_by_node(self) -> tuple[int, ...]:
        """Free GPUs of each node in service, 0 for one that is out; empty on a pool."""
        machine = self._simulation.machine
        if not isinstance(machine, Nodes):
            return ()
        return tuple(0 if n in machine.out else free for n, free in enumerate(machine.level))
