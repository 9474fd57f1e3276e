"""What a job keeps when it is stopped: checkpoints, lost work, time to recover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenarios.simulator.engine import Simulation
    from scenarios.simulator.world.setting import CheckpointSetting


def saved(done: int, every: int) -> int:
    """What the newest of the saves holds that are made after each `every` of work (0: of none)."""
    return done // every * every if every else 0


@dataclass(slots=True)
class Pace:
    """How far work has come that goes on by `units` in each `span` of time; all whole numbers.

    `done` had been reached at `since`; a `since` still to come is when the work begins.
    """

    done: int = 0
    since: int = 0
    units: int = 0
    span: int = 1

    def at(self, now: int) -> int:
        """What is done by `now`; a unit counts once it is whole."""
        return self.done + max(0, now - self.since) * self.units // self.span

    def when(self, target: int) -> int:
        """The first instant at which so much is done; only while the work goes on."""
        return self.since - (self.done - target) * self.span // self.units

    def settle(self, now: int) -> None:
        """From `now` on the work may have another pace; the part of a unit begun is kept."""
        if self.units and now > self.since:
            done = self.at(now)
            self.done, self.since = done, self.when(done)

    def halt(self, now: int) -> None:
        """The work stands still from `now` on; the part of a unit begun is lost."""
        self.done, self.since, self.units = self.at(now), now, 0


class Progress:
    """Times in the trace's unit, indexed by job, summed over all stops of the job.

    `lost` is machine time whose work was not saved, `recovering` time spent or still to be
    spent on recovery, `overhead` the time its planned saves take, `interruptions` how often
    something other than the policy stopped it. For a finished job, time on the machine =
    run time + overhead + lost + recovering, exactly.
    """

    def __init__(self, simulation: Simulation, setting: CheckpointSetting) -> None:
        self._simulation, count = simulation, len(simulation.run_time)
        tick = simulation.ticks_per_second
        every, self._save = round(setting.every_s * tick), round(setting.save_s * tick)
        self._cycle = every + self._save if every else 0
        self._can_save = bool(every or self._save)
        self._recovery = round(setting.recovery_s * tick)
        self.lost, self.recovering, self.overhead = [0] * count, [0] * count, [0] * count
        self.interruptions = [0] * count
        self._rest, self._at_start = [0] * count, [0] * count
        self._own_stop = False
        if every and self._save:
            self._plan_saves(every)

    def _plan_saves(self, every: int) -> None:
        """One save after each full interval of work, none at the end."""
        remaining = self._simulation.remaining
        for job, run in enumerate(self._simulation.run_time):
            self.overhead[job] = max(0, run - 1) // every * self._save
            remaining[job] += self.overhead[job]

    def started(self, job: int) -> None:
        """To be called at every start."""
        self._at_start[job] = self._simulation.remaining[job]

    def left(self, job: int) -> None:
        """To be called when a job stops short: notes what a policy's own preemption cost."""
        if not self._own_stop:
            simulation = self._simulation
            elapsed = simulation.now - simulation.began[job]
            lost = simulation.remaining[job] - self._at_start[job] + elapsed
            self.lost[job] += lost
            rest = self._rest[job]
            self._rest[job] = min(rest, max(0, rest - elapsed + lost))

    def interrupt(self, job: int, notice: int | None = None) -> int:
        """Stop a running job; the unsaved time it loses.

        With `notice` at least as long as a save, it saves last of all and loses only the
        time of that save.
        """
        simulation = self._simulation
        elapsed, rest = simulation.now - simulation.began[job], self._rest[job]
        self.interruptions[job] += 1
        if elapsed <= rest:
            unsaved, again = 0, elapsed
        else:
            unsaved = self._unsaved(elapsed - rest, notice)
            self._rest[job] = again = self._recovery
        self.lost[job] += unsaved
        self.recovering[job] += again
        self._own_stop = True
        simulation.interrupt(job, unsaved + again)
        self._own_stop = False
        return unsaved

    def _unsaved(self, useful: int, notice: int | None) -> int:
        unsaved = useful - saved(useful, self._cycle)
        if self._can_save and notice is not None and notice >= self._save:
            return min(unsaved, self._save)
        return unsaved
