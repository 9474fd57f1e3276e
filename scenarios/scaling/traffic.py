"""Storage, spine and the line to the cloud in an hour: what they carry, and how they slow work down."""

from __future__ import annotations

from scenarios.scaling.arrivals import FIRST_H
from scenarios.scaling.assumptions import (
    CLOUD_READ,
    EGRESS_GB_GPU_HOUR,
    FULL_DRAW,
    IDLE_DRAW,
    REMOTE_GBS,
    USABLE_UPLINK,
)
from scenarios.scaling.pools import NOTHING, Pool
from scenarios.scaling.state import State

CACHED, CACHE_PACE = 0.7, 0.98
BUFFERED = 0.45
LOCAL = 0.65
MIG_PACE, PACK_PACE = 0.9, 0.98
"""What the policies say: part of reads with caches, of bursts with local checkpoints, of traffic over the spine
with placement by topology; pace of work on caches, on slices and where small jobs are moved."""


class Traffic:
    """Load of storage and spine by site (1 is full), as the last hour had it."""

    def __init__(self, run: State) -> None:
        self.run = run
        count = len(run.scene.places)
        self.storage, self.spine = [0.0] * count, [0.0] * count
        self.gbs, self.burst_gbs, self.kw = [0.0] * count, [0.0] * count, [0.0] * count
        self.link = 0.0
        self.egress_usd = EGRESS_GB_GPU_HOUR * run.scene.profile.price_book.egress_gb
        self.month: list[tuple[int, int, float, float]] = []

    def begin(self) -> None:
        """In a new month: GPUs that stand and are placed at each site, most power of nodes and of the rest."""
        self.month = []
        for there in self.run.standing:
            paid = sum(one.there * one.kind.gpus for one in there.groups)
            nodes_kw = sum(one.used * one.kind.power_kw for one in there.groups)
            self.month.append((paid, there.gpus, nodes_kw, there.power_kw - nodes_kw))

    def hour(self, now: int) -> None:
        """Load everything, let work progress, and count."""
        run = self.run
        self._load(now - FIRST_H)
        for pool in run.pools.values():
            if pool.whole or pool.small > NOTHING:
                self._progress(pool)
        self._count()

    def _load(self, at: int) -> None:
        run, uneven, held = self.run, self.run.disruptions, self.run.held
        count = len(run.standing)
        reads, bursts, cross = [0.0] * count, [0.0] * count, [0.0] * count
        for pool in run.own:
            site = pool.site
            reads[site] += pool.reads
            bursts[site] += pool.bursts
            cross[site] += pool.cross
            if pool.serving:
                for work, _ in run.asked.serving:
                    reads[site] += pool.serving * work.read_gbs
                    cross[site] += pool.serving * work.cross_gbps
        link = sum(pool.reads for pool in run.cloud)
        self.link = link * CLOUD_READ * 8 / held.link_gbps
        for site, there in enumerate(run.standing):
            read = reads[site] * uneven.reads[site][at] * (CACHED if held.cache else 1.0)
            burst = bursts[site] * uneven.bursts[site][at]
            burst *= BUFFERED if held.nvme_checkpoints else 1.0
            self.gbs[site], self.burst_gbs[site] = read + burst, burst
            self.storage[site] = (read + burst) / (there.storage_gbs or REMOTE_GBS)
            carried = there.uplinks * there.place.fabric.link_gbps * USABLE_UPLINK
            moved = cross[site] * uneven.cross[site][at] * (LOCAL if held.topology else 1.0)
            self.spine[site] = moved / carried if carried else 0.0

    def _progress(self, pool: Pool) -> None:
        held, own = self.run.held, pool.kind == "own"
        over = max(0.0, (self.storage[pool.site] if own else self.link) - 1.0)
        crossed = max(0.0, self.spine[pool.site] - 1.0) if own else 0.0
        usual = CACHE_PACE if held.cache and own else 1.0
        for lane in pool.lanes.values():
            if not lane.gpus:
                continue
            extra = lane.io * over + lane.net * crossed
            pace = lane.speed * usual / (1.0 + extra)
            if lane.bucket.cut < 1:
                pace *= MIG_PACE
            if held.pack and own and not lane.nodes:
                pace *= PACK_PACE
            useful = lane.useful
            lane.pace = pace
            lane.clock += pace
            lane.done += useful * pace
            counted = lane.bucket.counted
            counted.at_work += useful
            if extra:
                counted.stretched += useful * extra / (1.0 + extra)

    def _count(self) -> None:
        run, tally = self.run, self.run.tally
        tally.hours += 1
        tally.stranded += run.queue_stranded
        run.stranded_now, run.queue_stranded = run.queue_stranded, 0.0
        for site, counted in enumerate(tally.sites):
            counted.storage_full += self.storage[site] > 1
            counted.spine_full += self.spine[site] > 1
            counted.storage += self.storage[site]
            counted.spine += self.spine[site]
        tally.any_full += max(self.storage) > 1 or max(self.spine) > 1
        tally.link_full += self.link > 1
        self._own()
        for pool in run.cloud:
            self._rent(pool)

    def _own(self) -> None:
        run, tally = self.run, self.run.tally
        busy_kw = [0.0] * len(run.standing)
        for pool in run.own:
            busy = pool.busy
            useful = pool.serving + pool.works
            tally.held += busy
            tally.working += pool.gpus
            tally.useful += min(busy, useful)
            tally.idle += max(0.0, busy - useful)
            if pool.standing:
                busy_kw[pool.site] += busy / (pool.standing * pool.per_node) * pool.node_kw
        for site, (paid, placed, nodes_kw, rest) in enumerate(self.month):
            tally.paid += paid
            tally.placed += placed
            self.kw[site] = rest + IDLE_DRAW * nodes_kw + (FULL_DRAW - IDLE_DRAW) * busy_kw[site]
            counted = tally.sites[site]
            counted.kwh += self.kw[site]
            counted.peak_kw = max(counted.peak_kw, self.kw[site])

    def _rent(self, pool: Pool) -> None:
        if not pool.nodes:
            return
        tally, busy = self.run.tally, pool.busy
        if pool.kind.startswith("reserved"):
            tally.cloud_paid += pool.gpus
            tally.committed += pool.gpus
            tally.committed_held += busy
        else:
            tally.cloud_paid += busy
            tally.rent[pool.name] = tally.rent.get(pool.name, 0.0) + busy * pool.usd
        tally.cloud_held += busy
        egress = busy * self.egress_usd
        tally.egress_usd += egress
