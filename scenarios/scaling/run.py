"""The hours of a year: jobs end, fail, arrive, are served, start and progress."""

from __future__ import annotations

import heapq
from typing import Protocol

from scenarios.scaling.arrivals import Asked
from scenarios.scaling.demand import USUAL, Market
from scenarios.scaling.estate import Standing
from scenarios.scaling.faults import Faults
from scenarios.scaling.fleet import Lease, cloud_pools, own_pools
from scenarios.scaling.policies import MIG_PART, Held
from scenarios.scaling.pools import NOTHING, Lane, Pool
from scenarios.scaling.queueing import Queueing
from scenarios.scaling.scene import Scene
from scenarios.scaling.serving import Serving
from scenarios.scaling.state import JobLog, State
from scenarios.scaling.tally import SiteCounted, Tally
from scenarios.scaling.traffic import Traffic

END_EARLY = 0.5
"""Part of an hour by which a job is let go before its end, as others are let go after: hours have no parts."""


class Watcher(JobLog, Protocol):
    """Sees every hour and every job, for the history."""

    def hour(self, run: Run, now: int) -> None: ...


class Run(State):
    """A state that moves."""

    def __init__(
        self, scene: Scene, asked: Asked, watcher: Watcher | None = None, market: Market = USUAL
    ) -> None:
        super().__init__(scene, asked, watcher, market)
        self.watcher = watcher
        self.of = [[one for one in self.buckets if one.jobs is jobs] for jobs in asked.jobs]
        self.next = [0] * len(asked.jobs)
        self.tallies: list[Tally] = []
        self.queueing, self.serving = Queueing(self), Serving(self)
        self.faults, self.traffic = Faults(self), Traffic(self)

    def begin(
        self, standing: tuple[Standing, ...], held: Held, rented: tuple[Lease, ...], month: int
    ) -> None:
        """Enter a month; -1 is before the year. The tally is counted in until the next."""
        self.held, self.standing = held, standing
        own_pools(self.scene, standing, self.pools, held)
        cloud_pools(self.scene, rented, month, self.pools, self.market)
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
        self._settle()

    def _settle(self) -> None:
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
                if lane.heap:
                    self._end_in(pool, lane, now)

    def _end_in(self, pool: Pool, lane: Lane, now: int) -> None:
        heap, until = lane.heap, lane.clock + END_EARLY * lane.pace
        while heap and heap[0][0] <= until:
            entry = heapq.heappop(heap)
            # the lane counted whole hours: from here on the job's work is counted exactly
            lane.done += (entry[0] - lane.clock) * lane.bucket.gpus * entry[3]
            pool.stop(lane, entry)
            if self.log is not None:
                over = (entry[0] - lane.clock) / (lane.pace or 1.0)
                self.log.ended(lane, entry, pool, now + over, "COMPLETED")

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
