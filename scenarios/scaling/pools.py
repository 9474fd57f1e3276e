"""Pools of GPUs alike: what fits, what runs, and how far it is."""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import dataclass, field

from scenarios.scaling.arrivals import Jobs
from scenarios.scaling.tally import Counted

Entry = tuple[float, int, float, float, float]
"""A job that runs: clock of its lane at its end, number of the job, hour of its start, useful part of its time,
and GPUs that it takes of the pool."""
NOTHING = 1e-6
"""GPUs below which a pool holds none: sums of parts are not exact."""
GIVES_UP, FEWEST_GIVES_UP_H = 10.0, 24.0
"""Promised waits after which a job is withdrawn, and the fewest hours: people take it elsewhere."""


class Bucket:
    """Jobs of one class and size, in order of submission.

    gpus: of one row of the class's jobs, copies and all; cut: part of each GPU that it takes where GPUs are
    cut; counted: the class's counts of the month; patience: hours after which a job is withdrawn.
    """

    def __init__(self, jobs: Jobs, kind: int, size: int) -> None:
        self.jobs, self.kind, self.size = jobs, kind, size
        self.at = jobs.at
        self.name = jobs.work.job_class
        self.key = (self.name, kind)
        self.priority, self.target = jobs.work.priority, jobs.work.wait_target_h
        self.patience = max(FEWEST_GIVES_UP_H, GIVES_UP * self.target)
        self.copies = jobs.copies
        self.gpus = float(size * jobs.copies)
        self.cut = 1.0
        self.queue: deque[int] = deque()
        self.counted = Counted()
        self.places: list[Place] = []
        self.bursts: list[Place] = []


class Lane:
    """Jobs of one class and size in one pool. They share a clock, which runs as fast as they progress.

    clock: hours of work done by a job that was there from the start; pace: of the clock in the last hour.
    gpus: held by all of them; useful: of those, what works (a session that ended its work only holds).
    done: GPU-hours since they were last counted; nodes: whole nodes of one row of jobs, 0 where it takes less.
    """

    def __init__(self, bucket: Bucket, speed: float, nodes: int) -> None:
        self.bucket, self.speed, self.nodes = bucket, speed, nodes
        self.io, self.net = bucket.jobs.work.io, bucket.jobs.work.net
        self.clock, self.pace = 0.0, speed
        self.heap: list[Entry] = []
        self.gpus = self.useful = self.done = 0.0


@dataclass(slots=True, eq=False)
class Pool:
    """GPUs alike at one site, or rented in one row of the plan.

    nodes: that work now; standing: and those being mended; away: hours at which failed ones return. whole:
    nodes held by jobs of whole nodes; small: GPUs held by jobs of less; serving: GPUs that serve; keep: GPUs
    kept free for serving; held: nodes that fill up for a large job. spread: nodes under small jobs over the
    fewest that could hold them; spare: nodes that a large job cannot have. room_nodes, room_gpus: what is
    free, as last measured.
    works: GPUs of jobs at work; reads, bursts in GB/s and cross in Gb/s: their traffic.
    """

    name: str
    site: int
    per_node: int
    speed: float
    nodes: int = 0
    standing: int = 0
    spread: float = 1.0
    spare: int = 0
    kind: str = "own"
    usd: float = 0.0
    region: str = ""
    row: str = ""
    classes: frozenset[str] = frozenset()
    whole: int = 0
    small: float = 0.0
    serving: float = 0.0
    keep: float = 0.0
    held: int = 0
    room_nodes: int = 0
    room_gpus: float = 0.0
    node_kw: float = 0.0
    works: float = 0.0
    reads: float = 0.0
    bursts: float = 0.0
    cross: float = 0.0
    away: list[float] = field(default_factory=list)
    lanes: dict[tuple[str, int], Lane] = field(default_factory=dict)

    @property
    def gpus(self) -> int:
        """That work now."""
        return self.nodes * self.per_node

    @property
    def busy(self) -> float:
        """GPUs held by jobs and serving."""
        return self.whole * self.per_node + self.small + self.serving

    def measure(self) -> None:
        """See what is free: nodes that nothing lies on, and GPUs that jobs of less than a node may take."""
        per_node, apart = self.per_node, self.serving + self.keep
        under = (self.small * self.spread + apart) / per_node
        nodes = self.nodes - self.whole - self.held
        self.room_nodes = nodes - math.ceil(under - 1e-9) - self.spare
        self.room_gpus = nodes * per_node - self.small - apart

    def start(self, lane: Lane, job: int, hours: float, useful: float, now: float) -> None:
        """Begin a job that takes so many hours of the lane's clock; `now` is its time into the hour."""
        bucket = lane.bucket
        part = now - math.floor(now)
        takes = bucket.gpus * bucket.cut
        end = lane.clock + part * lane.pace + hours
        heapq.heappush(lane.heap, (end, job, now, useful, takes))
        if lane.nodes:
            self.whole += lane.nodes
        else:
            self.small += takes
        works = bucket.gpus * useful
        lane.gpus += bucket.gpus
        lane.useful += works
        lane.done -= part * lane.pace * works
        self._count(bucket, works, bucket.cut)
        self.measure()

    def _count(self, bucket: Bucket, works: float, cut: float) -> None:
        """Add GPUs at work, or take them away, with their traffic."""
        work = bucket.jobs.work
        self.works += works * cut
        self.reads += works * work.read_gbs
        self.bursts += works * work.burst_gbs
        self.cross += works * work.cross_gbps

    def stop(self, lane: Lane, entry: Entry) -> None:
        """Free what a job of the lane held; it has left the heap already."""
        gpus = lane.bucket.gpus
        self._count(lane.bucket, -gpus * entry[3], entry[4] / gpus)
        if lane.nodes:
            self.whole -= lane.nodes
        else:
            self.small = max(0.0, self.small - entry[4])
        if lane.heap:
            lane.gpus -= gpus
            lane.useful = max(0.0, lane.useful - gpus * entry[3])
        else:
            lane.gpus = lane.useful = 0.0

    def lane(self, bucket: Bucket) -> Lane:
        """That of the class and size."""
        found = self.lanes.get(bucket.key)
        if found is None:
            nodes = 0
            if bucket.size >= self.per_node:
                nodes = math.ceil(bucket.size / self.per_node) * bucket.copies
            speed = 1.0 if bucket.jobs.work.idle_h else self.speed
            found = self.lanes[bucket.key] = Lane(bucket, speed, nodes)
        return found


Place = tuple[Pool, Lane]
"""Where jobs of a bucket may run."""
