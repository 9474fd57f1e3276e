"""One job on its way through the cluster; knows no rule of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from scenarios.simulator.slurm.plan import Held
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec, Kind

T4_SPEED = 40
"""Speed of a training job on T4 in percent of an A100: five to eight times slower in half
precision by data sheet, less so for the small jobs that people send there (assumption)."""


class State(IntEnum):
    """Where a job is. A refused one was turned away by a limit; its owner tries again."""

    UNSEEN = 0
    REFUSED = 1
    PENDING = 2
    RUNNING = 3
    DONE = 4
    CANCELLED = 5


WAITING = (State.REFUSED, State.PENDING)


@dataclass(slots=True)
class Job:
    """Times and work in ms, -1 = never. `kept` is the work its newest checkpoint holds.

    `queued_at` is the begin of the present wait, `waited` all earlier waits together,
    `version` grows whenever a planned end goes stale, `key` is its place in the queue.
    `denied` means that somebody who may not has ended it: its owner goes on waiting for it.
    """

    id: int
    spec: JobSpec
    partition: int
    qos: int
    limit: int
    state: State = State.UNSEEN
    speed: int = 100
    kept: int = 0
    began: int = -1
    overhead: int = 0
    queued_at: int = 0
    waited: int = 0
    eligible_at: int = 0
    ended_at: int = -1
    version: int = 0
    held: bool = False
    denied: bool = False
    held_since: int = -1
    nodes: Held = (0, 0, 0)
    lost: int = 0
    restarts: int = 0
    rank: int = 0
    key: tuple[int, int, int] = (0, 0, 0)
    reason: str = "None"

    @property
    def waiting(self) -> bool:
        return self.state in WAITING

    def work_done(self, now: int) -> int:
        """Work done by `now`, whether or not it would survive a stop."""
        if self.state != State.RUNNING:
            return self.kept
        ran = max(0, now - self.began - self.overhead) * self.speed // 100
        return min(self.spec.work, self.kept + ran)

    def saved(self, now: int) -> int:
        """Work that would be left if it were stopped now."""
        every = self.spec.every
        if not every:
            return 0
        return max(self.kept, self.work_done(now) // every * every)

    def total_wait(self, now: int) -> int:
        """All time spent waiting, unfinished waits, refusals and denied work included."""
        return self.waited + (now - self.queued_at if self.waiting or self.denied else 0)

    def idle_for(self, now: int) -> int:
        """How long a session has held its GPUs without using them."""
        if self.spec.kind != Kind.SESSION or self.state != State.RUNNING:
            return 0
        return max(0, now - self.began - self.spec.active)
