"""The hours of a year: jobs end, fail, arrive, are served, start and progress."""

from __future__ import annotations

import heapq
from typing import Protocol

from scenarios.scaling.arrivals import Asked
from scenarios.scaling.estate import Standing
from scenarios.scaling.faults import Faults
from scenarios.scaling.fleet import Lease, cloud_pools, own_pools
from scenarios.scaling.policies import MIG_PART, TIGHT_IDLE_H, Held
from scenarios.scaling.pools import NOTHING, Bucket, Entry, Lane, Pool
from scenarios.scaling.queueing import Queueing
from scenarios.scaling.scene import Scene
from scenarios.scaling.serving import Serving
from scenarios.scaling.tally import SiteCounted, Tally
from scenarios.scaling.traffic import Traffic
from scenarios.scaling.weather import weather

END_EARLY = 0.5
"""Part of an hour by which a job is let go before its end, as others are let go after: hours have no parts."""


class Watcher(Protocol):
    """Sees every hour and every job, for the history."""

    def hour(self, run: Run, now: int) -> None: ...

    def ended(self, lane: Lane, entry: Entry, pool: Pool, at: float, state: str) -> None: ...


class Run:
    """One cluster on its way through hours. Months change what stands and which policies hold."""

    def __init__(self, scene: Scene, asked: Asked, watcher: Watcher | None = None) -> None:
        self.scene, self.asked, self.watcher = scene, asked, watcher
        self.weather = weather(scene)
        self.pools: dict[str, Pool] = {}
        self.buckets = [
            Bucket(jobs, kind, size) for jobs in asked.jobs for kind, size in enumerate(jobs.kinds)
        ]
        self.of = [[one for one in self.buckets if one.jobs is jobs] for jobs in asked.jobs]
        self.next = [0] * len(asked.jobs)
        self.left: dict[tuple[str, int], float] = {}
        """(class, job) -> hours of work left of a job that was stopped."""
        self.month = -1
        self.held: Held
        self.standing: tuple[Standing, ...] = ()
        self.own: list[Pool] = []
        self.cloud: list[Pool] = []
        self.tallies: list[Tally] = []
        self.tally = Tally(sites=[SiteCounted() for _ in scene.places])
        self.queueing, self.serving = Queueing(self), Serving(self)
        self.faults, self.traffic = Faults(self), Traffic(self)
        self.queue_stranded = self.stranded_now = 0.0
        """Free GPUs on nodes that small jobs share, while a job of whole nodes waits, this hour."""

    def begin(
        self, standing: tuple[Standing, ...], held: Held, rented: tuple[Lease, ...], month: int
    ) -> Tally:
        """Enter a month; -1 is before the year. The tally is counted in until the next."""
        self.month, self.held, self.standing = month, held, standing
        own_pools(self.scene, standing, self.pools, held)
        cloud_pools(self.scene, rented, month, self.pools)
        self.own = [one for one in self.pools.values() if one.kind == "own"]
        self.cloud = [one for one in self.pools.values() if one.kind != "own"]
        for bucket in self.buckets:
            cut = held.mig and bucket.jobs.work.idle_h > 0 and bucket.size == 1
            bucket.cut = MIG_PART if cut else 1.0
        self.tally = Tally(sites=[SiteCounted() for _ in self.scene.places])
        self.tallies.append(self.tally)
        self.queueing.begin()
        self.traffic.begin()
        self.faults.close()
        return self.tally

    def hours(self, first: int, count: int) -> None:
        """Play so many hours from one on, counted from the first of the first month."""
        for now in range(first, first + count):
            self._end(now)
            self.faults.hour(now)
            self._arrive(now)
            self.serving.hour(now)
            self.queueing.hour(now)
            self.traffic.hour(now)
            if self.watcher is not None:
                self.watcher.hour(self, now)
        self.settle()

    def settle(self) -> None:
        """Credit what was done to the classes of this month."""
        for pool in self.pools.values():
            for (job_class, _), lane in pool.lanes.items():
                counted = self.tally.of(job_class)
                if pool.kind == "own":
                    counted.own += lane.done
                else:
                    counted.cloud += lane.done
                lane.done = 0.0

    def _end(self, now: int) -> None:
        for pool in self.pools.values():
            if not pool.whole and pool.small < NOTHING:
                continue
            for lane in pool.lanes.values():
                heap = lane.heap
                if not heap:
                    continue
                until = lane.clock + END_EARLY * lane.pace
                while heap and heap[0][0] <= until:
                    entry = heapq.heappop(heap)
                    self.credit(lane, entry)
                    pool.stop(lane, entry)
                    if self.watcher is not None:
                        over = (entry[0] - lane.clock) / (lane.pace or 1.0)
                        self.watcher.ended(lane, entry, pool, now + over, "COMPLETED")

    def credit(self, lane: Lane, entry: Entry, until: float | None = None) -> None:
        """Count a job's work exactly: its lane counted whole hours."""
        end = entry[0] if until is None else until
        lane.done += (end - lane.clock) * lane.bucket.gpus * entry[3]

    def _arrive(self, now: int) -> None:
        after = now + 1
        for number, jobs in enumerate(self.asked.jobs):
            at, index = jobs.at, self.next[number]
            if index >= len(at) or at[index] >= after:
                continue
            sizes, hours, buckets = jobs.sizes, jobs.hours, self.of[number]
            asked = 0.0
            while index < len(at) and at[index] < after:
                bucket = buckets[sizes[index]]
                bucket.queue.append(index)
                asked += bucket.gpus * hours[index]
                index += 1
            buckets[0].counted.asked += asked
            self.next[number] = index

    def skip_to(self, first: int) -> None:
        """Leave out what was submitted before an hour."""
        for number, jobs in enumerate(self.asked.jobs):
            index = self.next[number]
            while index < len(jobs.at) and jobs.at[index] < first:
                index += 1
            self.next[number] = index

    def left_waiting(self, now: int) -> None:
        """At the end of the year: those that still wait have waited until then."""
        for bucket in self.buckets:
            for job in bucket.queue:
                if (bucket.name, job) not in self.left:
                    bucket.counted.waits.append((now - bucket.at[job], 1.0))

    def length(self, bucket: Bucket, job: int) -> tuple[float, float]:
        """Hours of a lane's clock that a job takes, and the part of them that is work."""
        jobs = bucket.jobs
        work = jobs.hours[job]
        if self.left:
            work = self.left.get((bucket.name, job), work)
        idle = jobs.idle[job]
        if not idle:
            return work, 1.0
        limit, again = self.held.idle_limit_h, 1.0
        if limit > 0:
            idle = min(idle, limit)
            again = 1.08 if limit < TIGHT_IDLE_H else 1.0
        total = work * again + idle
        return total, work / total

    def requeue(self, pool: Pool, lane: Lane, entry: Entry, now: int, lost_h: float) -> None:
        """Stop a running job; it queues again in front and repeats lost_h hours of its work at most."""
        bucket, name = lane.bucket, lane.bucket.name
        hours = max(0.0, entry[0] - lane.clock) * entry[3]
        whole = self.left.get((name, entry[1]), bucket.jobs.hours[entry[1]])
        again = min(max(0.0, whole - hours), lost_h)
        self.left[name, entry[1]] = hours + again
        counted = bucket.counted
        counted.lost += again * bucket.gpus
        lane.done -= again * bucket.gpus
        pool.stop(lane, entry)
        bucket.queue.appendleft(entry[1])
        if self.watcher is not None:
            self.watcher.ended(lane, entry, pool, float(now), "REQUEUED")
