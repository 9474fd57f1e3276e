"""The engine: moves time over a workload and tells a policy what happened.

It knows no rule of scheduling; a policy acts on it from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from heapq import heappop, heappush
from operator import add
from typing import Literal, Protocol

from scenarios.simulator.machine import Machine
from scenarios.simulator.trace import Workload

EventOrder = Literal["batch", "one-by-one"]
EVENT_ORDERS: tuple[EventOrder, ...] = ("batch", "one-by-one")


class Kind(IntEnum):
    """Order of events at one instant, smallest first.

    Under batch what ends frees its room first, then work arrives, then timers run, and the
    policy looks once. Under
    one-by-one, the rule of the pyss simulator, a submission precedes everything (FIRST)
    and the policy looks after each event.
    """

    FIRST = 0
    END = 1
    SUBMIT = 8
    TIMER = 9


KIND_BITS = 40
SHIFT = 44
"""An event is one integer: time << SHIFT | kind << KIND_BITS | serial."""
SERIAL = (1 << KIND_BITS) - 1
NEVER = 1 << 120


class State(IntEnum):
    """Where a job is: not yet submitted, in the queue, on the machine, done, or refused."""

    FUTURE = 0
    WAITING = 1
    RUNNING = 2
    DONE = 3
    REFUSED = 4


WAITING, RUNNING, DONE, REFUSED = (int(state) for state in list(State)[1:])
"""The same as plain integers, which a bytearray takes without a conversion."""


class Watcher(Protocol):
    """Hears of every start and every departure: meters, event logs, charts."""

    def started(self, job: int, now: int) -> None: ...

    def left(self, job: int, now: int, finished: bool) -> None: ...


class Policy:
    """Base of every policy: keeps the queue, decides who starts, never moves time itself.

    The engine calls `bind` once, then for each event `submitted`, `ended` or `woken` to tell
    what changed, and `schedule` to act: once after all events of one instant (event order
    batch) or after every event (one-by-one). A policy acts by `simulation.start(job)` and
    `simulation.preempt(job)` inside `schedule` only, and asks for a wake-up with
    `simulation.wake(time)`.
    """

    name = ""
    simulation: Simulation

    def bind(self, simulation: Simulation) -> None:
        """Remember the simulation and prepare arrays; the workload is complete by now."""
        self.simulation = simulation

    def submitted(self, job: int) -> None:
        """`job` waits from now on: newly submitted, or back in the queue after a stop."""

    def ended(self, job: int) -> None:
        """`job` has left the machine: finished, or stopped by something other than a policy."""

    def woken(self) -> None:
        """A time asked for by `simulation.wake` has come."""

    def schedule(self) -> None:
        """Start and preempt what should start and be preempted now."""

    def play(self) -> bool:
        """Play a whole run by itself, as fast as it can; False, and nothing done, if it cannot.

        Asked before the first event of a run in which nothing but submissions, starts and ends
        will happen. It fills in `first_start` and calls `simulation.conclude`.
        """
        return False


class Simulation:
    """One run of a workload on a machine under a policy.

    Every list is indexed by job, the position in the workload; times are integers in the
    trace's unit, -1 where a thing has not happened. `first_start` and `last_end` are a
    job's first start and final end, `began` its latest start, `remaining` the run time it
    had left then, `preemptions` how often it was put back in the queue, `served` its time
    on the machine before `began`. Equal inputs give equal lists on every platform.
    """

    def __init__(
        self,
        workload: Workload,
        machine: Machine,
        policy: Policy,
        event_order: EventOrder = "batch",
        watcher: Watcher | None = None,
        ticks_per_second: int = 1,
    ) -> None:
        count = len(workload)
        self.workload, self.machine, self.policy, self.watcher = workload, machine, policy, watcher
        self.submit, self.run_time = workload.submit, workload.run
        self.estimate, self.procs = workload.estimate, workload.procs
        self.order = sorted(range(count), key=workload.submit.__getitem__)
        """Jobs in the order of their submission, ties as in the trace."""
        self.now, self.ticks_per_second = 0, ticks_per_second
        self.state = bytearray(count)
        self.first_start, self.last_end, self.began = [-1] * count, [-1] * count, [-1] * count
        self.remaining = list(workload.run)
        self.preemptions, self.served = [0] * count, [0] * count
        self.one_by_one = event_order == "one-by-one"
        kind = Kind.FIRST if self.one_by_one else Kind.SUBMIT
        self._submits = [
            (workload.submit[job] << SHIFT) | (kind << KIND_BITS) for job in self.order
        ]
        self._submits.append(NEVER)
        self._cursor = 0
        self._heap = [NEVER]
        self._serial = [-1] * count
        self._started: list[int] = []
        self._actions: dict[int, Callable[[], None]] = {}
        self._action_count = 0
        self._changed = False
        policy.bind(self)

    # ---- what a policy or a controller may do ----

    def start(self, job: int) -> None:
        """Put a waiting job on the machine now; the caller has seen that it fits."""
        self.machine.take(job, self.procs[job])
        self.note_start(job)

    def note_start(self, job: int) -> None:
        """Record that `job` starts now, its room taken already (a policy that picks nodes)."""
        now, started = self.now, self._started
        serial = len(started)
        started.append(job)
        self._serial[job] = serial
        self.state[job] = RUNNING
        if self.first_start[job] < 0:
            self.first_start[job] = now
        self.began[job] = now
        heappush(self._heap, (now + self.remaining[job] << SHIFT) | (1 << KIND_BITS) | serial)
        if self.watcher is not None:
            self.watcher.started(job, now)

    def preempt(self, job: int, lost: int = 0) -> None:
        """Take a running job off the machine; it keeps its progress but for `lost`.

        The job is waiting afterwards; the policy that preempts keeps its own queue.
        """
        self.preemptions[job] += 1
        self._stop(job, lost)

    def interrupt(self, job: int, lost: int = 0) -> None:
        """Somebody else than the policy stops a job; it waits again with its progress but `lost`."""
        self._stop(job, lost)
        self.policy.ended(job)
        self.policy.submitted(job)
        self._changed = True

    def at(self, time: int, kind: Kind, action: Callable[[], None]) -> None:
        """Call `action` at `time` (not before now), among events of one instant by `kind`."""
        serial = self._action_count
        self._action_count += 1
        self._actions[serial] = action
        heappush(self._heap, (max(time, self.now) << SHIFT) | (kind << KIND_BITS) | serial)

    def wake(self, time: int) -> None:
        """Call the policy's `woken` at `time`, then let it schedule."""
        self.at(time, Kind.TIMER, self._wake)

    # ---- time ----

    def run(self) -> None:
        """Go on until nothing is left that will happen."""
        if not (self._is_plain() and self.policy.play()):
            self._advance(NEVER)

    def _is_plain(self) -> bool:
        """Whether nothing has happened and nothing will but submissions, starts and ends."""
        free, events = self.machine.free == self.machine.capacity, len(self._heap) + self._cursor
        return free and events == 1 and not self.one_by_one and self.watcher is None

    def conclude(self, now: int) -> None:
        """For a policy that played the whole run: all jobs began at `first_start` and ran through."""
        self.now, self._cursor = now, len(self.order)
        self.began[:] = self.first_start
        self.last_end[:] = map(add, self.first_start, self.run_time)
        self.state[:] = bytes([DONE]) * len(self.order)
        if -1 in self.first_start:
            for job, start in enumerate(self.first_start):
                if start < 0:
                    self.state[job], self.last_end[job] = REFUSED, -1

    def run_until(self, time: int) -> None:
        """Handle every event up to and including `time`; may be called again and again."""
        self._advance((time + 1) << SHIFT)
        self.now = max(self.now, time)

    def next_time(self) -> int | None:
        """When the next event is due (it may prove outdated); None when there is none."""
        key = min(self._heap[0], self._submits[self._cursor])
        return None if key == NEVER else key >> SHIFT

    def _advance(self, limit: int) -> None:
        heap, submits, started, serials = self._heap, self._submits, self._started, self._serial
        schedule, one_by_one = self.policy.schedule, self.one_by_one
        cursor = self._cursor
        while True:
            key = heap[0]
            if key < submits[cursor]:
                if key >= limit:
                    break
                self.now = key >> SHIFT
                heappop(heap)
                serial = key & SERIAL
                if (key >> KIND_BITS) & 15 != 1:
                    self._actions.pop(serial)()
                elif serials[started[serial]] == serial:
                    self._finish(started[serial])
            else:
                key = submits[cursor]
                if key >= limit:
                    break
                self.now = key >> SHIFT
                job = self.order[cursor]
                cursor += 1
                self._cursor = cursor
                self._submit(job)
            if self._changed and (
                one_by_one or (heap[0] >> SHIFT > self.now and submits[cursor] >> SHIFT > self.now)
            ):
                self._changed = False
                schedule()

    def _submit(self, job: int) -> None:
        if self.machine.could_hold(self.procs[job]):
            self.state[job] = WAITING
            self.policy.submitted(job)
            self._changed = True
        else:
            self.state[job] = REFUSED

    def _finish(self, job: int) -> None:
        self.machine.give(job, self.procs[job])
        self.state[job] = DONE
        self._serial[job] = -1
        self.last_end[job] = self.now
        self.policy.ended(job)
        self._changed = True
        if self.watcher is not None:
            self.watcher.left(job, self.now, True)

    def _stop(self, job: int, lost: int) -> None:
        done = self.now - self.began[job]
        self.machine.give(job, self.procs[job])
        self.remaining[job] += lost - done
        self.served[job] += done
        self.state[job] = WAITING
        self._serial[job] = -1
        if self.watcher is not None:
            self.watcher.left(job, self.now, False)

    def _wake(self) -> None:
        self.policy.woken()
        self._changed = True

    # ---- what can be seen ----

    def is_waiting(self, job: int) -> bool:
        """Whether `job` is in the queue."""
        return self.state[job] == WAITING

    def running(self) -> Iterator[int]:
        """The jobs on the machine, in the order of their latest start."""
        started, serials = self._started, self._serial
        serial_numbers = sorted(key & SERIAL for key in self._heap if (key >> KIND_BITS) & 15 == 1)
        return (job for n in serial_numbers if serials[job := started[n]] == n)
