"""Looks at the period once a tick, just before time passes: published states, idle GPUs, chances."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.cloud_bursting.broker import Broker
from scenarios.worlds.cloud_bursting.rules import charged_gpus, estimate, may_go, pending_gpu_hours
from scenarios.worlds.cloud_bursting.shape import PRICE_STEP, TICK
from scenarios.worlds.cloud_bursting.workload import LOW
from scenarios.worlds.cloud_bursting.world import BurstWorld

SINCE_WITHIN = 15 * MINUTE
"""How far a published instant may be from the true one."""
LOOK_FOR_CHANCES = 30 * MINUTE
PATIENCE = HOUR
"""How long a job that may leave can wait before not bursting it is a missed chance."""


@dataclass
class Watch:
    """Counts what the broker's users would notice."""

    world: BurstWorld
    broker: Broker
    state_ticks: int = 0
    true_ticks: int = 0
    idle_gpu_ms: int = 0
    missed: set[int] = field(default_factory=set)
    told: set[int] = field(default_factory=set)
    """Jobs whose end was published rightly: nobody asks about them any more."""
    _chances: set[int] = field(default_factory=set)

    def look(self) -> None:
        """Judge the tick that is about to pass."""
        self._states()
        self._idle()
        if self.world.now % LOOK_FOR_CHANCES == 0:
            now = self._open_chances()
            self.missed |= self._chances & now
            self._chances = now

    def _states(self) -> None:
        jobs = self.world.jobs
        for job in range(jobs.seen):
            if job in self.told:
                continue
            self.state_ticks += 1
            state = jobs.true_state[job]
            off = abs(jobs.published_since[job] - jobs.true_since[job])
            if jobs.published[job] == state and off <= SINCE_WITHIN:
                self.true_ticks += 1
                if state == "completed":
                    self.told.add(job)

    def _idle(self) -> None:
        """GPUs of the primary that are free while the broker holds work back."""
        queue, jobs = self.world.queue, self.world.jobs
        if queue.waiting:
            return
        free = queue.nodes.free
        if not free:
            return
        held = sum(
            jobs.spec[job].gpus
            for job in range(jobs.seen)
            if jobs.true_state[job] in ("queued", "interrupted")
        )
        self.idle_gpu_ms += min(free, held) * TICK

    def _open_chances(self) -> set[int]:
        """Jobs that have waited long and that could leave now, as many as there is room for.

        A job without checkpoints is not among them: on spot it may be kept at home for good reason.
        """
        world = self.world
        over = pending_gpu_hours(world) - world.config.threshold_gpu_hours
        stuck = world.market.priced_at(world.now) <= world.now - PRICE_STEP
        if over <= 0 or stuck:
            return set()
        room = self._room()
        day, teams = self.broker.ledger.day_left(), dict.fromkeys(self._teams(), 0.0)
        found = set()
        for job in range(world.jobs.seen):
            if over <= 0 or not self._waits_long(job):
                continue
            spec = world.jobs.spec[job]
            team = self.broker.ledger.team_left(spec.team) - teams[spec.team]
            usd = self._fits(job, room, min(day, team))
            if usd is not None:
                found.add(job)
                day -= usd
                teams[spec.team] += usd
                over -= spec.gpus * spec.limit / HOUR
        return found

    def _teams(self) -> set[str]:
        return {spec.team for spec in self.world.jobs.spec}

    def _room(self) -> list[int]:
        world, rooms = self.world, []
        for number in range(len(world.config.remotes)):
            free = world.market.room(number, world.now) - world.used(number)
            rooms.append(0 if world.market.out(number, world.now) else free)
        return rooms

    def _waits_long(self, job: int) -> bool:
        jobs = self.world.jobs
        spec, since = jobs.spec[job], jobs.waiting_since[job]
        waits = jobs.true_state[job] in ("queued", "interrupted")
        return (
            waits
            and spec.priority == LOW
            and not spec.protected
            and spec.every > 0
            and self.world.now - since >= PATIENCE
        )

    def _fits(self, job: int, room: list[int], budget: float) -> float | None:
        """What the job would be booked at in the first cloud that could take it; uses its room."""
        world, spec = self.world, self.world.jobs.spec[job]
        for number, free in enumerate(room):
            gpus = charged_gpus(world, job, number)
            branch = world.config.remotes[number].driver_branch
            if gpus > free or branch < spec.driver or not may_go(world, job, number):
                continue
            made = estimate(world, job, number)
            if made.cheap and made.usd <= budget:
                room[number] -= gpus
                return made.usd
        return None
