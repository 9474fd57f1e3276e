"""The plan of a pool: how many processors are free from which instant on, and who has the rest."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Protocol

from scenarios.simulator.engine import NEVER, Simulation


class Plan(Protocol):
    """Reservations of jobs for stretches of time [begin, end)."""

    def trim(self, now: int) -> None:
        """Forget what ended before `now`."""
        ...

    def earliest(self, job: int, length: int, now: int, before: int) -> int:
        """The earliest instant in [now, before) with room for `job` during `length`.

        `before` when there is none.
        """
        ...

    def sooner(self, job: int, old: int, length: int, now: int, before: int, gained: int) -> int:
        """As `earliest`, as if the reservation [old, old + length) of `job` were not there.

        `before` is at most `old`. All that came free since the job was last put at its earliest
        instant came free on the nodes `gained` (a mask); a pool does not look at them.
        """
        ...

    def reserve(self, job: int, begin: int, end: int) -> None:
        """Give `job` its room, which `earliest` or `sooner` has found."""
        ...

    def restore(self, job: int, begin: int, end: int) -> None:
        """Give `job` the very room it had when it was last reserved, or has on the machine."""
        ...

    def release(self, job: int, begin: int, end: int) -> int:
        """`job` has no room any more in this stretch of its reservation; answers the mask of its nodes."""
        ...

    def start(self, job: int) -> bool:
        """Start `job` in its room; False when somebody is still there."""
        ...


class PoolPlan:
    """A step function: `free[i]` processors from `times[i]` until `times[i + 1]`.

    The first step begins at or before now; the last entry is a sentinel at NEVER.
    """

    __slots__ = ("_procs", "_simulation", "free", "times")

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._procs = simulation, simulation.procs
        capacity = simulation.machine.capacity
        self.times = [0, NEVER]
        self.free = [capacity, capacity]

    def trim(self, now: int) -> None:
        past = bisect_right(self.times, now) - 1
        if past > 0:
            del self.times[:past], self.free[:past]

    def reserve(self, job: int, begin: int, end: int) -> None:
        self._change(begin, end, -self._procs[job])

    def restore(self, job: int, begin: int, end: int) -> None:
        self._change(begin, end, -self._procs[job])

    def release(self, job: int, begin: int, end: int) -> int:
        self._change(begin, end, self._procs[job])
        return 0

    def start(self, job: int) -> bool:
        if not self._simulation.machine.fits(self._procs[job]):
            return False
        self._simulation.start(job)
        return True

    def earliest(self, job: int, length: int, now: int, before: int) -> int:
        return self._hole(self._procs[job], length, now, before, NEVER)

    def sooner(self, job: int, old: int, length: int, now: int, before: int, gained: int) -> int:
        # What it would need from `old` on is its own already: only the time until then counts.
        return self._hole(self._procs[job], length, now, before, old)

    def _hole(self, procs: int, length: int, now: int, before: int, until: int) -> int:
        """The first instant in [now, before) with `procs` free for `length`, at most to `until`."""
        times, free = self.times, self.free
        first = bisect_right(times, now) - 1
        if max(free[first : bisect_left(times, before)], default=0) < procs:
            return before
        i = first
        while times[i] < before:
            if free[i] < procs:
                i += 1
                continue
            begin = times[i] if times[i] > now else now
            end = begin + length if begin + length < until else until
            i += 1
            while times[i] < end and free[i] >= procs:
                i += 1
            if times[i] >= end:
                return begin
        return before

    def _change(self, begin: int, end: int, procs: int) -> None:
        if begin >= end or begin >= NEVER:
            return
        free = self.free
        first, last = self._cut(begin), self._cut(end)
        for i in range(first, last):
            free[i] += procs
        self._join(last)
        self._join(first)

    def _cut(self, time: int) -> int:
        """The index of the step that begins at `time`, made if need be."""
        i = bisect_right(self.times, time) - 1
        if self.times[i] == time:
            return i
        self.times.insert(i + 1, time)
        self.free.insert(i + 1, self.free[i])
        return i + 1

    def _join(self, i: int) -> None:
        if 0 < i < len(self.times) - 1 and self.free[i] == self.free[i - 1]:
            del self.times[i], self.free[i]
