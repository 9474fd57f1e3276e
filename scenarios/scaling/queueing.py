"""Who starts: the most urgent first, smaller ones beside them, nodes filled up for large jobs that waited."""

from __future__ import annotations

from scenarios.scaling.pools import Bucket, Place
from scenarios.scaling.state import State

PATIENCE = 0.25
"""Part of its target that a job of whole nodes waits before nodes are filled up for it."""
NIGHT = (20, 6)
"""Hours from which and until which batch starts where it may at night only, as the rule says."""


class Queueing:
    """The scheduler: priority of the class and how much of its promised wait a job has waited."""

    def __init__(self, run: State) -> None:
        self.run = run
        self.usage: dict[str, float] = {}
        """Class with a quota that holds -> GPUs of our own that it has."""
        self.most: dict[str, float] = {}

    def begin(self) -> None:
        """In a new month: where each bucket may run, best first: what is reserved is paid, and leaves whole own
        nodes to large jobs."""
        run = self.run
        for bucket in run.buckets:
            large = bucket.name in ("training", "fine_tuning")
            own = [one for one in run.own if one.standing]
            own.sort(key=lambda one: (-one.speed if large else one.speed, one.name))
            able = [one for one in run.cloud if bucket.name in one.classes and one.nodes]
            paid = [one for one in able if one.kind.startswith("reserved")]
            later = [one for one in able if not one.kind.startswith("reserved")]
            later.sort(key=lambda one: (one.usd, one.name))
            bucket.places = [(one, one.lane(bucket)) for one in (*paid, *own)]
            bucket.bursts = [(one, one.lane(bucket)) for one in later]
            bucket.counted = run.tally.of(bucket.name)

    def hour(self, now: int) -> None:
        """Start what can start. Serving comes before and leaves all pools measured, with no node held."""
        self._limits()
        for bucket in self._urgent(now):
            self._bucket(bucket, now)

    def _limits(self) -> None:
        """Quotas, where they hold, and what is used of them."""
        self.usage, self.most = {}, {}
        if self.run.held.lend:
            return
        gpus = sum(one.gpus for one in self.run.own)
        for jobs in self.run.asked.jobs:
            work = jobs.work
            if work.quota < 1:
                self.most[work.job_class] = work.quota * gpus
                self.usage[work.job_class] = sum(
                    lane.gpus
                    for pool in self.run.own
                    for lane in pool.lanes.values()
                    if lane.bucket.name == work.job_class
                )

    def _urgent(self, now: int) -> list[Bucket]:
        found = []
        for number, bucket in enumerate(self.run.buckets):
            if bucket.queue:
                age = now - bucket.at[bucket.queue[0]]
                found.append((-bucket.priority - age / bucket.target, number, bucket))
        found.sort()
        return [one[2] for one in found]

    def _bucket(self, bucket: Bucket, now: int) -> None:
        run, queue, name = self.run, bucket.queue, bucket.name
        if run.held.night_batch and name == "batch" and NIGHT[1] <= now % 24 < NIGHT[0]:
            bucket.counted.blocked["night"] += 1
            return
        while queue:
            job = queue[0]
            at = bucket.at[job]
            if now - at > bucket.patience and (name, job) not in run.left:
                self._withdrawn(bucket, now - at)
                continue
            place = self._place(bucket, now - at)
            if place is None:
                self._blocked(bucket, now - at)
                return
            queue.popleft()
            begins = at if at > now else float(now)
            if (name, job) not in run.left:
                bucket.counted.waits.append((begins - at, 1.0))
            pool, lane = place
            hours, useful = run.length(bucket, job)
            pool.start(lane, job, hours, useful, begins)
            if name in self.usage and pool.kind == "own":
                self.usage[name] += bucket.gpus

    def _withdrawn(self, bucket: Bucket, age: float) -> None:
        job = bucket.queue.popleft()
        bucket.counted.waits.append((age, 1.0))
        bucket.counted.withdrawn += bucket.jobs.hours[job] * bucket.gpus

    def _place(self, bucket: Bucket, age: float) -> Place | None:
        takes = bucket.gpus * bucket.cut
        capped = bucket.name in self.most and self._capped(bucket)
        for place in bucket.places:
            pool, lane = place
            fits = pool.room_nodes >= lane.nodes if lane.nodes else pool.room_gpus >= takes
            if fits and not (capped and pool.kind == "own"):
                return place
        if bucket.bursts and age >= self.run.held.burst_after_h:
            for place in bucket.bursts:
                pool, lane = place
                if pool.kind == "on_demand" and self.run.sold_out:
                    continue
                if pool.room_nodes >= lane.nodes if lane.nodes else pool.room_gpus >= takes:
                    return place
        return None

    def _capped(self, bucket: Bucket) -> bool:
        most = max(self.most[bucket.name], bucket.gpus)
        return self.usage[bucket.name] + bucket.gpus > most + 1e-9

    def _blocked(self, bucket: Bucket, age: float) -> None:
        """Why the first of a queue stands; nodes are filled up for it where it has waited long."""
        counts = bucket.counted.blocked
        if bucket.name in self.most and self._capped(bucket):
            counts["quota"] += 1
            return
        reason, large = "full", False
        for pool, lane in bucket.places:
            if lane.nodes:
                large = True
                if pool.kind == "own" and pool.room_gpus >= lane.nodes * pool.per_node:
                    reason = "scattered"
                    lost = pool.room_gpus - max(0, pool.room_nodes) * pool.per_node
                    self.run.queue_stranded = max(self.run.queue_stranded, lost)
            elif pool.keep and pool.room_gpus + pool.keep >= bucket.gpus * bucket.cut:
                reason = "kept"
        counts[reason] += 1
        if large and age > PATIENCE * bucket.target:
            self._fill_up(bucket)

    def _fill_up(self, bucket: Bucket) -> None:
        best = None
        for pool, lane in bucket.places:
            able = (
                pool.kind == "own" and not pool.held and 0 < lane.nodes <= pool.nodes - pool.spare
            )
            if able and (best is None or pool.room_nodes > best[0].room_nodes):
                best = (pool, lane)
        if best is not None:
            best[0].held = best[1].nodes
            best[0].measure()
