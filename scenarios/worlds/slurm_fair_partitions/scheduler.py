"""Which waiting job starts where: the queue and the plan of Slurm, under limits and reservations."""

from __future__ import annotations

from collections.abc import Iterator

from scenarios.simulator.agenda import MINUTE
from scenarios.simulator.slurm.plan import Held
from scenarios.worlds.slurm_fair_partitions.config import ClusterConfig
from scenarios.worlds.slurm_fair_partitions.fleet import Fleet, Reservation
from scenarios.worlds.slurm_fair_partitions.job import Job
from scenarios.worlds.slurm_fair_partitions.limits import Book
from scenarios.worlds.slurm_fair_partitions.workload import Kind

PROMISED_FIRST = 30 * MINUTE
Start = tuple[Job, Held, list[Job]]
"""A job, what it gets, and whom it evicts for that."""


class Scheduler:
    """One queue of the simulator's Slurm for each partition. Jobs that a limit blocks are passed over."""

    def __init__(
        self, config: ClusterConfig, fleets: list[Fleet], book: Book, jobs: list[Job]
    ) -> None:
        self.config, self.fleets, self.book, self.jobs = config, fleets, book, jobs
        self.reservations: list[Reservation] = []
        self.dirty = [False] * len(fleets)

    # ---- the queue ----

    def waiting(self, number: int) -> Iterator[Job]:
        """The queue of a partition, best first."""
        return (self.jobs[rank[-1]] for rank in self.fleets[number].queue.waiting)

    def running(self, number: int) -> Iterator[Job]:
        """Jobs that run in a partition, in the order of their starts."""
        return (self.jobs[job] for job in self.fleets[number].queue.held)

    def enqueue(self, job: Job, now: int) -> None:
        """Put a job in its place by its priority at `now`."""
        self.fleets[job.partition].queue.enqueue(self._rank(job, now), job.spec.gpus, job.limit)
        self.dirty[job.partition] = True

    def dequeue(self, job: Job) -> None:
        """Take a job out of the queue."""
        self.fleets[job.partition].queue.dequeue(job.id)

    def resort(self, now: int) -> None:
        """Renew every waiting job's priority."""
        for number, fleet in enumerate(self.fleets):
            if fleet.queue.waiting:
                fleet.queue.reorder(lambda job: self._rank(self.jobs[job], now))
                self.dirty[number] = True

    def _rank(self, job: Job, now: int) -> tuple[int, int, int]:
        job.rank = self.book.rank(job, now)
        job.reason = "Priority"
        job.key = (-job.rank, job.spec.submit, job.id)
        return job.key

    # ---- the main loop ----

    def next_start(self, number: int, now: int) -> Start | None:
        """The next job that the main loop starts in a partition; None when it is done."""
        blocked, owners = False, self._owners(number, now)
        for job in self.waiting(number):
            if blocked and job.spec.team not in owners:
                if not owners:
                    return None
                continue
            if not self._ready(job, now):
                continue
            closed = self._kept_from(job, now)
            held = self.fleets[number].queue.room(job.id, closed)
            if held is not None:
                return job, held, []
            evicted = self._evict(job, closed)
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

    def _evict(self, job: Job, closed: int) -> tuple[list[Job], Held] | None:
        """Whom a job of a team's QOS may push out of the scavenger QOS, if that makes room."""
        scavenge = self.book.scavenge
        if scavenge < 0 or job.qos == scavenge:
            return None
        weakest = [each for each in self.running(job.partition) if each.qos == scavenge]
        if not weakest:
            return None
        order = [each.id for each in sorted(weakest, key=lambda each: (-each.began, each.id))]
        found = self.fleets[job.partition].queue.room_by_eviction(job.id, order, closed)
        return found and ([self.jobs[each] for each in found[0]], found[1])

    # ---- backfill ----

    def backfill(self, number: int, now: int) -> Iterator[tuple[Job, Held]]:
        """Jobs whose place in a fresh plan of the whole queue is now.

        The plan is made by planned ends and limits; a job that a limit blocks has no place
        in it. Whoever iterates starts each job before asking for the next.
        """
        here = [each for each in self.reservations if each.partition == number]
        active = 0
        for each in here:
            if each.start <= now:
                active |= each.nodes
        kept = [
            (each.start, each.end - each.start, each.nodes) for each in here if each.start > now
        ]
        ready = [job.id for job in self.waiting(number) if self._ready(job, now)]
        starts = self.fleets[number].queue.backfill(
            now, ready[: self.config.backfill_depth], self._blocked, kept, active
        )
        return ((self.jobs[job], held) for job, held in starts)

    def _blocked(self, job: int) -> str:
        return self.book.blocks(self.jobs[job])
