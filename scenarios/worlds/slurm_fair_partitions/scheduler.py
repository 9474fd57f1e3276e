"""Which waiting job starts where: Slurm's main loop and its backfill pass, for each partition."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from scenarios.simulator.agenda import MINUTE
from scenarios.simulator.slurm.nodes import choose, holds
from scenarios.simulator.slurm.plan import Held, Plan
from scenarios.simulator.slurm.preemption import Victim, find_victims
from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig
from scenarios.worlds.slurm_fair_partitions.fleet import Fleet, Reservation
from scenarios.worlds.slurm_fair_partitions.job import Job
from scenarios.worlds.slurm_fair_partitions.limits import Book
from scenarios.worlds.slurm_fair_partitions.workload import Kind

PROMISED_FIRST = 30 * MINUTE
Start = tuple[Job, Held, list[Job]]
"""A job, what it gets, and whom it evicts for that."""


def order(job: Job) -> tuple[int, int, int]:
    """Place in the queue: priority, then submission, then number."""
    return job.key


class Scheduler:
    """One ordered queue for each partition. Jobs that a limit blocks are passed over."""

    def __init__(self, config: ClusterConfig, fleets: list[Fleet], book: Book) -> None:
        self.config, self.fleets, self.book = config, fleets, book
        self.queue: list[list[Job]] = [[] for _ in fleets]
        self.running: list[dict[int, Job]] = [{} for _ in fleets]
        self.reservations: list[Reservation] = []
        self.dirty = [False] * len(fleets)

    # ---- the queue ----

    def enqueue(self, job: Job, now: int) -> None:
        """Put a job in its place by its priority at `now`."""
        self._set_key(job, now)
        waiting = self.queue[job.partition]
        waiting.insert(bisect_left(waiting, job.key, key=order), job)
        self.dirty[job.partition] = True

    def dequeue(self, job: Job) -> None:
        """Take a job out of the queue."""
        waiting = self.queue[job.partition]
        del waiting[bisect_left(waiting, job.key, key=order)]

    def resort(self, now: int) -> None:
        """Renew every waiting job's priority."""
        for number, waiting in enumerate(self.queue):
            if waiting:
                for job in waiting:
                    self._set_key(job, now)
                waiting.sort(key=order)
                self.dirty[number] = True

    def _set_key(self, job: Job, now: int) -> None:
        job.rank = self.book.rank(job, now)
        job.reason = "Priority"
        job.key = (-job.rank, job.spec.submit, job.id)

    # ---- the main loop ----

    def next_start(self, number: int, now: int) -> Start | None:
        """The next job that the main loop starts in a partition; None when it is done."""
        blocked, owners = False, self._owners(number, now)
        for job in self.queue[number]:
            if blocked and job.spec.team not in owners:
                if not owners:
                    return None
                continue
            if not self._ready(job, now):
                continue
            levels = self._levels(job, now)
            if holds(levels, job.demand):
                return job, self._choose(levels, job), []
            evicted = self._evict(job, levels)
            if evicted is not None:
                return job, evicted[1], evicted[0]
            job.reason, blocked = "Resources", True
        return None

    def _ready(self, job: Job, now: int) -> bool:
        """Whether nothing but room stands in the job's way; sets the reason otherwise."""
        fleet = self.fleets[job.partition]
        if job.held:
            job.reason = "JobHeldAdmin"
        elif now < job.eligible_at:
            job.reason = "BeginTime"
        elif job.limit > fleet.max_time:
            job.reason = "PartitionTimeLimit"
        elif fleet.allow_qos and job.qos not in fleet.allow_qos:
            job.reason = "InvalidQOS"
        elif reason := self.book.blocks(job):
            job.reason = reason
        else:
            return True
        return False

    def _choose(self, levels: list[int], job: Job) -> Held:
        part = levels[job.demand[1]] if job.demand[1] else 0
        whole, shared = choose(levels[-1], part, job.demand, levels)
        return whole, shared, job.demand[1]

    def _owners(self, number: int, now: int) -> set[int]:
        """Teams with nodes reserved here now, whom a blocked head of the queue cannot keep out."""
        return {
            kept.team
            for kept in self.reservations
            if kept.partition == number and kept.team >= 0 and kept.start <= now
        }

    def _kept_from(self, job: Job, now: int) -> int:
        """Mask of nodes that reservations forbid the job.

        Before a window nobody's job may reach into it. In it, the promised job comes first,
        and other jobs of the same team after half an hour.
        """
        mask = 0
        for kept in self.reservations:
            if kept.partition != job.partition or kept.start >= now + job.limit:
                continue
            first = job.spec.kind == Kind.DEMO and now >= kept.start
            if kept.team != job.spec.team or not (first or now >= kept.start + PROMISED_FIRST):
                mask |= kept.nodes
        return mask

    def _levels(self, job: Job, now: int) -> list[int]:
        levels = self.fleets[job.partition].at_least()
        if not self.reservations:
            return levels
        allowed = ~self._kept_from(job, now)
        return [mask & allowed for mask in levels]

    def _evict(self, job: Job, levels: list[int]) -> tuple[list[Job], Held] | None:
        """Whom a job of a team's QOS may push out of the scavenger QOS, if that makes room."""
        scavenge = self.book.scavenge
        if scavenge < 0 or job.qos == scavenge:
            return None
        here = self.running[job.partition]
        weakest = sorted(
            (each for each in here.values() if each.qos == scavenge),
            key=lambda each: (-each.began, each.id),
        )
        if not weakest:
            return None
        found = find_victims(job.demand, levels, [Victim(each.id, each.nodes) for each in weakest])
        if found is None:
            return None
        return [here[number] for number in found[0]], found[1]

    # ---- backfill ----

    def backfill(self, number: int, now: int) -> Iterator[Start]:
        """Jobs whose place in a fresh plan of the whole queue is now.

        The plan is made by planned ends and limits; a job that a limit blocks has no place
        in it. Whoever iterates starts each job before asking for the next.
        """
        fleet = self.fleets[number]
        kept = [each for each in self.reservations if each.partition == number]
        active = 0
        for each in kept:
            if each.start <= now:
                active |= each.nodes
        plan = Plan(now, [mask & ~active for mask in fleet.at_least()])
        plan.add_ends(self._ends(number, now, active | ~fleet.up))
        for each in kept:
            if each.start > now:
                plan.reserve(each.start, each.end - each.start, (each.nodes, 0, 0))
        waiting = [job for job in self.queue[number] if self._ready(job, now)]
        for job in waiting[: self.config.backfill_depth]:
            free = plan.free_at_start()
            if not any(free[1:]):
                return
            if self.book.blocks(job):
                continue
            slot = plan.earliest(job.demand, job.limit)
            if slot is None:
                continue
            start, (whole, shared) = slot
            held = (whole, shared, job.demand[1])
            plan.reserve(start, job.limit, held)
            if start == now:
                yield job, held, []

    def _ends(self, number: int, now: int, out: int) -> list[tuple[int, Held]]:
        ends = []
        for job in self.running[number].values():
            whole, shared, gpus = job.nodes
            ends.append((max(job.began + job.limit, now + 1), (whole & ~out, shared & ~out, gpus)))
        return sorted(ends)
