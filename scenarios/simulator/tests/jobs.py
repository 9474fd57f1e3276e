"""Small random traces for the tests, and how to run them."""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis import strategies as st

from scenarios.simulator.engine import EventOrder, Simulation
from scenarios.simulator.machine import Machine, Nodes
from scenarios.simulator.policies import open_policy
from scenarios.simulator.trace import Workload

CAPACITY = 8
Row = tuple[int, int, int, int]
"""(submit, run, estimate beyond run, procs)."""

rows = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 15), st.integers(0, 15), st.integers(1, CAPACITY)),
    max_size=25,
)


def examples(count: int) -> settings:
    """So many random cases, the same in every run; HEADNODE_EXAMPLES=20 asks for 20 times as many new ones."""
    factor = int(os.environ.get("HEADNODE_EXAMPLES", "1"))
    return settings(
        max_examples=count * factor, deadline=None, derandomize=factor == 1, database=None
    )


def workload_of(jobs: list[Row], scale: int = 1) -> Workload:
    workload = Workload()
    for number, (submit, run, over, procs) in enumerate(jobs, 1):
        workload.add(number, submit * scale, run * scale, (run + over) * scale, procs)
    return workload


def run(
    workload: Workload, machine: Machine, policy: str, order: EventOrder = "batch"
) -> Simulation:
    simulation = Simulation(workload, machine, open_policy(policy), order)
    simulation.run()
    return simulation


def outcome(simulation: Simulation) -> list[tuple[int, int, int]]:
    """(first start, last end, preemptions) of every job."""
    lists = (simulation.first_start, simulation.last_end, simulation.preemptions)
    return list(zip(*lists, strict=True))


class Meter:
    """Watches a run: what was busy when, and who held which node."""

    def __init__(self) -> None:
        self.simulation: Simulation | None = None
        self.busy = self.peak = 0
        self.work: dict[int, int] = {}
        self.since: dict[int, int] = {}

    def started(self, job: int, now: int) -> None:
        assert self.simulation is not None
        self.since[job] = now
        self.busy += self.simulation.procs[job]
        self.peak = max(self.peak, self.busy)
        machine = self.simulation.machine
        assert 0 <= machine.free <= machine.capacity
        if isinstance(machine, Nodes):
            assert min(machine.level) >= 0
            assert sum(gpus for _, gpus in machine.where[job]) == self.simulation.procs[job]

    def left(self, job: int, now: int, finished: bool) -> None:
        assert self.simulation is not None
        self.busy -= self.simulation.procs[job]
        self.work[job] = self.work.get(job, 0) + now - self.since.pop(job)
