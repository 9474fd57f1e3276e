"""The cluster on its way through hours: what stands, what runs, what waits, and what stopping a job undoes."""

from __future__ import annotations

from typing import Protocol

from scenarios.scaling.arrivals import Asked
from scenarios.scaling.demand import USUAL, Market
from scenarios.scaling.disruptions import disruptions
from scenarios.scaling.estate import Standing
from scenarios.scaling.policies import TIGHT_IDLE_H, Held
from scenarios.scaling.pools import Bucket, Entry, Lane, Pool
from scenarios.scaling.scene import Scene
from scenarios.scaling.tally import SiteCounted, Tally

REPEATED = 1.08
"""Work of a session over what it asked for, where it is ended so soon that people lose it in breaks: an
assumption."""


class JobLog(Protocol):
    """Hears of every job that ends or is put back."""

    def ended(self, lane: Lane, entry: Entry, pool: Pool, at: float, state: str) -> None: ...


class State:
    """What serving, queue, traffic and failures share. Months change what stands and which policies hold.

    left: (class, job) -> hours of work left of a job that was stopped. sold_out: whether GPUs on demand are,
    today. queue_stranded: free GPUs on nodes that small jobs share, while a job of whole nodes waits, this
    hour; stranded_now: in the last.
    """

    def __init__(
        self, scene: Scene, asked: Asked, log: JobLog | None = None, market: Market = USUAL
    ) -> None:
        self.scene, self.asked, self.log, self.market = scene, asked, log, market
        self.disruptions = disruptions(scene)
        self.pools: dict[str, Pool] = {}
        self.buckets = [
            Bucket(jobs, kind, size) for jobs in asked.jobs for kind, size in enumerate(jobs.kinds)
        ]
        self.left: dict[tuple[str, int], float] = {}
        self.held: Held
        self.standing: tuple[Standing, ...] = ()
        self.own: list[Pool] = []
        self.cloud: list[Pool] = []
        self.tally = Tally(sites=[SiteCounted() for _ in scene.places])
        self.sold_out = False
        self.queue_stranded = self.stranded_now = 0.0

    def length(self, bucket: Bucket, job: int) -> tuple[float, float]:
        """Hours of a lane's clock that a job takes, and the part of them that is work."""
        work = self.left.get((bucket.name, job), bucket.jobs.hours[job])
        idle = bucket.jobs.idle[job]
        if not idle:
            return work, 1.0
        limit, again = self.held.idle_limit_h, 1.0
        if limit > 0:
            idle = min(idle, limit)
            again = REPEATED if limit < TIGHT_IDLE_H else 1.0
        total = work * again + idle
        return total, work / total

    def requeue(self, pool: Pool, lane: Lane, entry: Entry, now: int, lost_h: float) -> None:
        """Stop a running job; it queues again in front and repeats lost_h hours of its work at most."""
        bucket, key = lane.bucket, (lane.bucket.name, entry[1])
        hours = max(0.0, entry[0] - lane.clock) * entry[3]
        whole = self.left.get(key, bucket.jobs.hours[entry[1]])
        again = min(max(0.0, whole - hours), lost_h)
        self.left[key] = hours + again
        bucket.counted.lost += again * bucket.gpus
        lane.done -= again * bucket.gpus
        pool.stop(lane, entry)
        bucket.queue.appendleft(entry[1])
        if self.log is not None:
            self.log.ended(lane, entry, pool, float(now), "REQUEUED")
