"""Conservative backfill: every job has a reservation, and nobody may delay anybody's."""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from heapq import heappop, heappush
from itertools import accumulate

from scenarios.simulator.engine import NEVER, Policy, Simulation
from scenarios.simulator.machine import Nodes
from scenarios.simulator.policies.fcfs import ranks
from scenarios.simulator.policies.node_plan import NodePlan
from scenarios.simulator.policies.plan import Plan, PoolPlan


class Conservative(Policy):
    """Plans each job at its earliest hole on submission, and again after every job end.

    The rule of pyss: after an end, also one exactly on time, each waiting job in order of
    submission is taken out of the plan and put back at its earliest hole, one pass. A job is
    tried only before the latest instant at which processors came free since its last try:
    elsewhere the plan offers it no more than it did then, so the outcome is the same.
    `_freed` holds those instants in the order they came, each with the nodes on which it was,
    `_tried[job]` how many there were, `_starts` the planned starts (some outdated).
    A reservation is [_planned, _planned + _span).
    """

    name = "conservative"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._queue: list[int] = []
        self._fresh: list[int] = []
        self._freed: list[tuple[int, int]] = []
        self._starts: list[tuple[int, int, int]] = []
        self._ended = False
        self._alarm = -1

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._plan = _open_plan(simulation)
        self._rank = ranks(simulation)
        count = len(simulation.order)
        self._planned, self._span, self._tried = [NEVER] * count, [0] * count, [0] * count

    def submitted(self, job: int) -> None:
        simulation = self.simulation
        done = simulation.run_time[job] - simulation.remaining[job]
        self._span[job] = simulation.estimate[job] - done
        self._fresh.append(job)

    def ended(self, job: int) -> None:
        now = self.simulation.now
        self._plan.trim(now)
        end = self._planned[job] + self._span[job]
        if end > now:
            self._freed.append((end, self._plan.release(job, now, end)))
        self._ended = True

    def schedule(self) -> None:
        self._plan.trim(self.simulation.now)
        if self._ended and self._is_late():
            self._plan_from_scratch()
        elif self._ended:
            self._replan()
        self._ended = False
        for job in self._fresh:
            self._plan_newcomer(job)
        self._fresh.clear()
        self._start_due()

    def _replan(self) -> None:
        planned, tried, now = self._planned, self._tried, self.simulation.now
        earlier = list(accumulate(reversed(self._freed), _both, initial=(-1, 0)))
        count, latest, places = len(self._freed), -1, 0
        freed: list[tuple[int, int]] = []
        self._freed = freed
        for job in self._queue:
            before, gained = earlier[count - tried[job]]
            if latest > before:
                before = latest
            if before > now and planned[job] > now:
                self._move(job, before, gained | places)
                if freed:
                    latest, places = _both(freed[-1], (latest, places))
            tried[job] = len(freed)

    def _move(self, job: int, before: int, gained: int) -> None:
        """Put `job` at its earliest hole if that begins before `before`, else leave it."""
        plan, span, old = self._plan, self._span[job], self._planned[job]
        before = min(before, old)
        new = plan.sooner(job, old, span, self.simulation.now, before, gained)
        if new < before:
            self._freed.append((old + span, plan.release(job, old, old + span)))
            self._reserve(job, new)

    def _reserve(self, job: int, begin: int) -> None:
        self._planned[job] = begin
        self._plan.reserve(job, begin, begin + self._span[job])
        heappush(self._starts, (begin, self._rank[job], job))

    def _plan_newcomer(self, job: int) -> None:
        now = self.simulation.now
        self._reserve(job, self._plan.earliest(job, self._span[job], now, NEVER))
        self._tried[job] = len(self._freed)
        insort(self._queue, job, key=self._rank.__getitem__)

    def _start_due(self) -> None:
        starts, simulation, planned = self._starts, self.simulation, self._planned
        now, blocked = simulation.now, []
        while starts and starts[0][0] <= now:
            entry = heappop(starts)
            job = entry[2]
            if planned[job] != entry[0] or not simulation.is_waiting(job):
                continue
            if self._plan.start(job):
                self._queue.remove(job)
            else:
                blocked.append(entry)
        self._set_alarm()
        for entry in blocked:
            heappush(starts, entry)

    def _set_alarm(self) -> None:
        starts, planned = self._starts, self._planned
        while starts and planned[starts[0][2]] != starts[0][0]:
            heappop(starts)
        if starts and starts[0][0] != self._alarm and starts[0][0] < NEVER:
            self._alarm = starts[0][0]
            self.simulation.wake(self._alarm)

    def _is_late(self) -> bool:
        """Whether somebody should have started before now: a job outran its estimate."""
        now = self.simulation.now
        return any(self._planned[job] < now for job in self._queue)

    def _plan_from_scratch(self) -> None:
        """After a job outran its estimate; one past its planned end may take as long again."""
        simulation, planned, span = self.simulation, self._planned, self._span
        now = simulation.now
        self._plan, self._starts, self._freed = _open_plan(simulation), [], []
        for job in simulation.running():
            if planned[job] + span[job] <= now:
                span[job] = 2 * (now - planned[job]) + 1
            self._plan.restore(job, now, planned[job] + span[job])
        queue, self._queue = self._queue, []
        for job in queue:
            self._plan_newcomer(job)


def _both(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return max(one[0], other[0]), one[1] | other[1]


def _open_plan(simulation: Simulation) -> Plan:
    machine = simulation.machine
    return NodePlan(simulation, machine) if isinstance(machine, Nodes) else PoolPlan(simulation)
