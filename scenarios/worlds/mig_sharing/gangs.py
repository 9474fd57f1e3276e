"""Training gangs: where each one is, how fast it goes, what a stop costs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.simulator.topology import Locality
from scenarios.simulator.world import progress
from scenarios.simulator.world.progress import Pace
from scenarios.worlds.mig_sharing.demand import GangSpec


class GangState(IntEnum):
    """Where a gang is. A held one was stopped and may not start again yet."""

    UNSEEN = 0
    PENDING = 1
    HELD = 2
    RUNNING = 3
    SAVING = 4
    DONE = 5


ALONE, TOGETHER, SCATTERED, SLOW = 100, 95, 78, 30
"""Speed in percent: inside one node over NVLink; on as few nodes as possible over RDMA; on more
nodes than needed; with the second network down on any of its nodes. Assumptions."""


@dataclass(slots=True)
class Gang:
    """One training run of the day. Work and times in ms, `rate` in percent of full speed.

    `kept` is the work that a stop cannot take away. While `astray` it runs where the rules of
    isolation are broken: `void` are the stretches of its work, and `void_ms` the time, that passed
    so.
    """

    number: int
    spec: GangSpec
    state: GangState = GangState.UNSEEN
    gpus: tuple[int, ...] = ()
    pace: Pace = field(default_factory=lambda: Pace(span=100))
    kept: int = 0
    rate: int = 0
    queued_at: int = 0
    waited: int = 0
    first_wait: int = -1
    started_at: int = -1
    charged_from: int = 0
    version: int = 0
    lost: int = 0
    astray: bool = False
    void: list[tuple[int, int]] = field(default_factory=list)
    void_from: int = 0
    void_at: int = 0
    void_ms: int = 0

    def work_counted(self, now: int) -> int:
        """Work done by `now` ms while the rules of isolation were kept."""
        done = self.pace.at(now)
        void = [*self.void, (self.void_from, done)] if self.astray else self.void
        return done - sum(end - begin for begin, end in void)

    def stray(self, now: int) -> None:
        """What the gang does from now on does not count."""
        self.astray, self.void_from, self.void_at = True, self.pace.at(now), now

    def back(self, now: int) -> None:
        """What the gang does from now on counts again."""
        if self.astray:
            self.astray = False
            self.void.append((self.void_from, self.pace.at(now)))
            self.void_ms += now - self.void_at

    def fall_back(self, kept: int) -> None:
        """Work beyond `kept` is lost, whether it would have counted or not."""
        self.void = [(begin, min(end, kept)) for begin, end in self.void if begin < kept]
        self.pace.done = self.kept = kept

    def last_saved(self, now: int) -> int:
        """Work that the newest checkpoint holds."""
        return max(self.kept, progress.saved(self.pace.at(now), self.spec.every))

    def total_wait(self, now: int) -> int:
        """All time spent waiting: also after a stop, also a wait not over yet."""
        waiting = self.state in (GangState.PENDING, GangState.HELD)
        return self.waited + (now - self.queued_at if waiting else 0)

    def time_without(self, now: int) -> int:
        """All time without GPUs that it may be on: waiting, or where the rules are broken."""
        return self.total_wait(now) + self.void_ms + (now - self.void_at if self.astray else 0)


def speed(where: Locality, least: int) -> int:
    """Percent of full speed where a gang runs that `least` nodes would have been enough for."""
    if where.nodes == 1:
        return ALONE
    if where.leaves > 1:
        return SLOW
    return TOGETHER if where.nodes <= least else SCATTERED
