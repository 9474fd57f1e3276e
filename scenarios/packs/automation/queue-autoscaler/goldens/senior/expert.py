"""Packs gangs onto pools by contract, place and price, minds the budget, and answers every kind of trouble."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Cluster, Conflict, Job, Node, NotFound, Pool

IDLE_SECONDS = 6 * 60
YOUNG = 60 * 60
THROTTLED_MHZ = 1200
LOW_WAITS_FOR_SPOT = 45 * 60
DAY = 86_400
PRUDENT = 0.85
"""Share of the budget's pace above which work without a promise no longer gets new on-demand nodes."""
TRIES = 3
ORDER = {"high": 0, "normal": 1, "low": 2}
T = TypeVar("T")


def place(job: Job, bins: list[int], per_node: int) -> bool:
    """Put a job on the fullest free GPUs of one pool that hold it, changing `bins`."""
    need, size = max(1, job.gpus // per_node), min(job.gpus, per_node)
    fitting = sorted((free, i) for i, free in enumerate(bins) if free >= size)
    if len(fitting) < need:
        return False
    for _, i in fitting[:need]:
        bins[i] -= size
    return True


def pools_for(job: Job, pools: dict[str, Pool]) -> list[Pool]:
    """Where a job may run, spot first and then by price."""
    mine = [p for p in pools.values() if job.zone in ("", p.zone) and (job.spot or not p.spot)]
    return sorted(mine, key=lambda pool: (not pool.spot, pool.price, pool.name))


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.idle_since: dict[str, int] = {}
        self.suspect: dict[str, int] = {}
        self.dry_until: dict[str, int] = {}
        self.preempted_at = -600
        self.tight = False

    def attempt(self, act: Callable[..., object], *what: str | int) -> None:
        """One write that may be repeated safely; what still fails is seen again next tick."""
        for _ in range(TRIES):
            try:
                act(*what)
                return
            except ApiTimeout:
                continue
            except (Conflict, NotFound):
                return
            except ApiError as error:
                self.cluster.log(f"will try again: {error}")
                return

    def read(self, ask: Callable[[], T]) -> T:
        """One read, repeated when it times out."""
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    def step(self) -> None:
        cluster = self.cluster
        for event in cluster.events:
            if event.kind == "spot_notice":
                self.attempt(cluster.drain, event.node)
        nodes = self.read(cluster.nodes)
        for node in nodes:
            if node.reclaim_at >= 0 and not node.cordoned:
                self.attempt(cluster.drain, node.name)
        jobs = self.read(cluster.jobs)
        for node in nodes:
            emptied = node.cordoned and node.idle and node.reclaim_at < 0
            if node.state == "down" or emptied:
                self.attempt(cluster.release, node.name)
        pools = self.read(cluster.pools)
        self.watch(nodes)
        self.size_pools(pools, nodes, jobs)

    def watch(self, nodes: list[Node]) -> None:
        """Fence throttled nodes, and see how much of the budget is left."""
        metrics = self.read(self.cluster.metrics)
        known = {node.name: node for node in nodes}
        for name, reading in metrics.nodes.items():
            node = known.get(name)
            if node is None or node.cordoned:
                continue
            hot = reading.gpu_util > 0 and reading.sm_clock < THROTTLED_MHZ
            self.suspect[name] = self.suspect.get(name, 0) + 1 if hot else 0
            if self.suspect[name] >= 2:
                self.cluster.log(f"{name} is throttled at {reading.sm_clock} MHz, draining it")
                self.attempt(self.cluster.drain, name)
        pace = metrics.budget * max(0.25, self.cluster.now / DAY)
        self.tight = metrics.budget >= 0 and metrics.spend > PRUDENT * pace

    def size_pools(self, pools: dict[str, Pool], nodes: list[Node], jobs: list[Job]) -> None:
        per_node = nodes[0].gpus if nodes else 8
        usable = [n for n in nodes if n.state != "down" and not n.cordoned and n.reclaim_at < 0]
        bins: dict[str, list[int]] = {name: [] for name in pools}
        for n in usable:
            bins[n.pool].append(n.gpus if n.state == "starting" else n.free)
        pending = [job for job in jobs if job.state in ("pending", "held")]
        pending.sort(key=lambda job: (ORDER[job.priority], job.submitted))
        unplaced = [
            job
            for job in pending
            if not any(place(job, bins[pool.name], per_node) for pool in pools_for(job, pools))
        ]
        planned = {name: len(held) for name, held in bins.items()}
        stuck = [job for job in unplaced if not self.plan(job, pools, bins, planned, per_node)]
        for name, pool in pools.items():
            extra = len(bins[name]) - planned[name]
            if extra:
                self.attempt(self.ask, name, pool.size + extra)
        self.make_room(stuck, jobs, nodes, pools, per_node)
        self.shrink(pools, usable, bins, per_node)

    def plan(
        self,
        job: Job,
        pools: dict[str, Pool],
        bins: dict[str, list[int]],
        planned: dict[str, int],
        per_node: int,
    ) -> bool:
        """Add the nodes that a job needs to the first pool that has room; False if none has."""
        for pool in pools_for(job, pools):
            held = bins[pool.name]
            if place(job, held, per_node):
                return True
            if (
                self.waits_for_better(job, pool)
                or self.dry_until.get(pool.name, 0) > self.cluster.now
            ):
                continue
            whole = sum(free == per_node for free in held)
            extra = max(1, job.gpus // per_node) - (whole if job.gpus >= per_node else 0)
            room = pool.max - pool.size - (len(held) - planned[pool.name])
            if extra <= room:
                held.extend([per_node] * extra)
                return place(job, held, per_node)
        return False

    def waits_for_better(self, job: Job, pool: Pool) -> bool:
        """Whether a job should rather wait than have a new on-demand node."""
        if pool.spot or job.priority == "high":
            return False
        if self.tight and (job.promise < 0 or job.waited < job.promise / 2):
            return True
        return job.spot and job.priority == "low" and job.waited < LOW_WAITS_FOR_SPOT

    def ask(self, name: str, target: int) -> None:
        answer = self.cluster.scale(name, target)
        if answer.launched == 0 and answer.size < answer.asked:
            self.dry_until[name] = self.cluster.now + 8 * 60

    def make_room(
        self,
        stuck: list[Job],
        jobs: list[Job],
        nodes: list[Node],
        pools: dict[str, Pool],
        per_node: int,
    ) -> None:
        """Move low-priority work aside for an urgent job that fits nowhere."""
        urgent = [job for job in stuck if job.priority == "high"]
        if not urgent or self.cluster.now - self.preempted_at < 240:
            return
        places = {pool.name for pool in pools_for(urgent[0], pools)}
        good = {n.name for n in nodes if n.pool in places and not n.cordoned}
        movable = [
            job
            for job in jobs
            if job.state == "running"
            and job.priority == "low"
            and job.checkpoint
            and not job.protected
            and good.issuperset(job.nodes)
            and job.gpus >= min(urgent[0].gpus, per_node)
        ]
        need = urgent[0].gpus
        for job in sorted(movable, key=lambda job: (-job.started, job.gpus)):
            if need <= 0:
                break
            self.attempt(self.cluster.preempt, job.id)
            self.preempted_at = self.cluster.now
            need -= job.gpus

    def shrink(
        self,
        pools: dict[str, Pool],
        nodes: list[Node],
        bins: dict[str, list[int]],
        per_node: int,
    ) -> None:
        """Give back nodes that stayed idle, beyond what waiting jobs will take."""
        now = self.cluster.now
        for pool in pools.values():
            mine = [n for n in nodes if n.pool == pool.name]
            spare = min(sum(free == per_node for free in bins[pool.name]), pool.size - pool.min)
            for node in mine:
                if not node.idle:
                    self.idle_since.pop(node.name, None)
                    continue
                since = self.idle_since.setdefault(node.name, now)
                rested = now - since >= IDLE_SECONDS and now - node.ready_at >= YOUNG
                if rested and spare > 0:
                    self.attempt(self.cluster.release, node.name)
                    spare -= 1


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        try:
            controller.step()
        except ApiError as error:
            cluster.log(f"no picture this minute: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
