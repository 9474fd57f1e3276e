"""EASY backfill: only the head of the queue has a reservation, and nobody may delay it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from scenarios.simulator.engine import NEVER, Policy, Simulation
from scenarios.simulator.machine import Pool
from scenarios.simulator.policies.easy_run import EasyRun
from scenarios.simulator.policies.horizon import PlannedEnds, open_horizon
from scenarios.simulator.policies.waiting import NONE, Waiting, first_within


class Easy(Policy):
    """Starts the head while it fits; others pass it when they do not delay it (Lifka 1995).

    A waiting job passes when it fits now and either ends, by its estimate, no later than the
    shadow time of the head, or fits in what the head will leave over. While the head stays
    blocked and nothing ends, only a newcomer can start: room never grows without an end.
    """

    name = "easy"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._ends = PlannedEnds()
        self._fresh: list[int] = []
        self._room_came = True

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        self._horizon = open_horizon(simulation)
        self._planned = [-1] * len(simulation.order)
        self._blocked = -1

    @cached_property
    def _queue(self) -> Waiting:
        return Waiting(self.simulation)

    def play(self) -> bool:
        simulation = self.simulation
        if type(self) is not Easy or not isinstance(simulation.machine, Pool):
            return False
        simulation.conclude(EasyRun(simulation).play())
        return True

    def submitted(self, job: int) -> None:
        self._fresh.append(job)

    def ended(self, job: int) -> None:
        self._ends.drop(self._planned[job], job)
        self._room_came = True

    def schedule(self) -> None:
        if self._room_came or self._blocked < 0:
            self._room_came = False
            self._queue_up()
            self._serve_head()
            if self._blocked >= 0:
                self._horizon.look(self._blocked, self._ends)
                self._backfill()
        else:
            self._pass_newcomers()

    def _length(self, job: int) -> int:
        simulation = self.simulation
        done = simulation.run_time[job] - simulation.remaining[job]
        return simulation.estimate[job] - done

    def _queue_up(self) -> None:
        for job in self._fresh:
            self._queue.add(job, self._length(job))
        self._fresh.clear()

    def _serve_head(self) -> None:
        queue, simulation = self._queue, self.simulation
        procs, room = simulation.procs, simulation.machine.largest()
        while (job := queue.head()) >= 0 and procs[job] <= room:
            queue.remove(job)
            self._start(job)
            room = simulation.machine.largest()
        self._blocked = job

    def _start(self, job: int) -> None:
        self._note(job)
        self.simulation.start(job)

    def _start_past(self, job: int) -> None:
        self._note(job)
        self._horizon.start_past(job)

    def _note(self, job: int) -> None:
        self._planned[job] = planned = self.simulation.now + self._length(job)
        self._ends.put(planned, job)

    def _slack(self) -> int:
        """How long a job may run that ends by the shadow time; anything if that is unknown."""
        shadow = self._horizon.shadow
        return shadow - self.simulation.now if shadow < NEVER else NONE - 1

    def _pass_newcomers(self) -> None:
        slack, simulation = self._slack(), self.simulation
        procs, machine, horizon = simulation.procs, simulation.machine, self._horizon
        for job in self._in_tail_order(self._fresh):
            need, length = procs[job], self._length(job)
            if need > machine.largest():
                self._queue.add(job, length)
            elif length <= slack:
                self._start(job)
            elif need <= horizon.spare():
                self._start_past(job)
            else:
                self._queue.add(job, length)
        self._fresh.clear()

    def _backfill(self) -> None:
        slack, machine, horizon = self._slack(), self.simulation.machine, self._horizon
        while room := machine.largest():
            spare = horizon.spare()
            job = self._next(room, spare, slack)
            if job < 0:
                return
            self._queue.remove(job)
            if self._length(job) <= slack:
                self._start(job)
            else:
                self._start_past(job)

    def _next(self, room: int, spare: int, slack: int) -> int:
        """The first job of the tail that may pass; those before it failed with more room."""
        best = NONE
        for size, tree, places in self._queue.trees:
            if size > room:
                break
            limit = slack if size > spare else NONE - 1
            if tree[1] <= limit:
                rank = places[first_within(tree, limit)]
                if rank < best:
                    best = rank
        return self._queue.at(best) if best < NONE else -1

    def _in_tail_order(self, jobs: list[int]) -> list[int]:
        return jobs
