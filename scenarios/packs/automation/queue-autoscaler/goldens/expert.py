"""Packs waiting gangs onto each pool by priority, and answers every kind of trouble."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Cluster, Conflict, Job, Node, NotFound, Pool

IDLE_SECONDS = 6 * 60
YOUNG = 60 * 60
SPARE_ONDEMAND = 0
THROTTLED_MHZ = 1200
T = TypeVar("T")
TRIES = 3
ORDER = {"high": 0, "normal": 1, "low": 2}


def pack(jobs: list[Job], bins: list[int], per_node: int) -> list[Job]:
    """Place jobs on free GPUs (changing `bins`); returns those without a place."""
    left = []
    for job in jobs:
        need = max(1, job.gpus // per_node)
        size = min(job.gpus, per_node)
        fitting = sorted((free, i) for i, free in enumerate(bins) if free >= size)
        if len(fitting) < need:
            left.append(job)
            continue
        for _, i in fitting[:need]:
            bins[i] -= size
    return left


def nodes_for(jobs: list[Job], per_node: int) -> int:
    """How many fresh nodes hold the jobs at once."""
    bins: list[int] = []
    for job in sorted(jobs, key=lambda job: -job.gpus):
        while pack([job], bins, per_node):
            bins.append(per_node)
    return len(bins)


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.idle_since: dict[str, int] = {}
        self.suspect: dict[str, int] = {}
        self.spot_dry_until = 0
        self.preempted_at = -600

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
                self.attempt(self.cluster.drain, event.node)
        nodes = self.read(cluster.nodes)
        self.answer_notices(nodes)
        jobs = self.read(cluster.jobs)
        self.replace_broken(nodes)
        pools = self.read(cluster.pools)
        self.find_slow(nodes)
        self.size_pools(pools, nodes, jobs)

    def answer_notices(self, nodes: list[Node]) -> None:
        for node in nodes:
            if node.reclaim_at >= 0 and not node.cordoned:
                self.attempt(self.cluster.drain, node.name)

    def replace_broken(self, nodes: list[Node]) -> None:
        for node in nodes:
            emptied = node.cordoned and node.idle
            if node.state == "down" or (emptied and node.reclaim_at < 0):
                self.attempt(self.cluster.release, node.name)

    def find_slow(self, nodes: list[Node]) -> None:
        known = {node.name: node for node in nodes}
        for name, reading in self.read(self.cluster.metrics).nodes.items():
            node = known.get(name)
            if node is None or node.cordoned:
                continue
            hot = reading.gpu_util > 0 and reading.sm_clock < THROTTLED_MHZ
            self.suspect[name] = self.suspect.get(name, 0) + 1 if hot else 0
            if self.suspect[name] >= 2:
                self.cluster.log(f"{name} is throttled at {reading.sm_clock} MHz, draining it")
                self.attempt(self.cluster.drain, name)

    def size_pools(self, pools: dict[str, Pool], nodes: list[Node], jobs: list[Job]) -> None:
        per_node = nodes[0].gpus if nodes else 8
        usable = [n for n in nodes if n.state != "down" and not n.cordoned and n.reclaim_at < 0]
        bins = {
            name: [n.gpus if n.state == "starting" else n.free for n in usable if n.pool == name]
            for name in pools
        }
        pending = [job for job in jobs if job.state in ("pending", "held")]
        pending.sort(key=lambda job: (ORDER[job.priority], job.submitted))
        firm = [job for job in pending if not job.spot]
        unplaced = pack(firm, bins["ondemand"], per_node)
        flexible = pack([job for job in pending if job.spot], bins["spot"], per_node)
        overflow = pack(flexible, bins["ondemand"], per_node)
        self.make_room(unplaced, jobs, nodes, per_node)
        unplaced += self.grow_spot(pools["spot"], overflow, per_node)
        self.grow_ondemand(pools["ondemand"], unplaced, bins["ondemand"], per_node)
        self.shrink(pools, usable, bins, per_node)

    def grow_spot(self, pool: Pool, jobs: list[Job], per_node: int) -> list[Job]:
        """Start spot nodes; returns jobs that should not wait for spot any longer."""
        dry = self.cluster.now < self.spot_dry_until
        room = pool.max - pool.size
        if jobs and room > 0 and not dry:
            target = min(pool.max, pool.size + nodes_for(jobs, per_node))
            self.attempt(self.ask_spot, target)
        if not dry and room > 0:
            return []
        return [job for job in jobs if job.priority != "low" or job.waited > 45 * 60]

    def ask_spot(self, target: int) -> None:
        answer = self.cluster.scale("spot", target)
        if answer.size < answer.asked and answer.launched == 0:
            self.spot_dry_until = self.cluster.now + 8 * 60

    def grow_ondemand(
        self, pool: Pool, jobs: list[Job], bins: list[int], per_node: int
    ) -> None:
        whole = sum(free == per_node for free in bins)
        extra = nodes_for(jobs, per_node) + (SPARE_ONDEMAND if jobs or not whole else 0)
        target = min(pool.max, pool.size + extra)
        if target > pool.size:
            self.attempt(self.cluster.scale, "ondemand", target)

    def make_room(
        self, unplaced: list[Job], jobs: list[Job], nodes: list[Node], per_node: int
    ) -> None:
        """Move low-priority work aside for an urgent job that fits nowhere."""
        urgent = [job for job in unplaced if job.priority == "high"]
        if not urgent or self.cluster.now - self.preempted_at < 240:
            return
        firm = {n.name for n in nodes if n.pool == "ondemand" and not n.cordoned}
        movable = [
            job
            for job in jobs
            if job.state == "running"
            and job.priority == "low"
            and job.checkpoint
            and not job.protected
            and firm.issuperset(job.nodes)
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
        """Give back nodes that stayed idle, beyond the spare and what waiting jobs will take."""
        now = self.cluster.now
        for pool in pools.values():
            mine = [n for n in nodes if n.pool == pool.name]
            unclaimed = sum(free == per_node for free in bins[pool.name])
            spare = unclaimed - (0 if pool.spot else SPARE_ONDEMAND)
            spare = min(spare, pool.size - pool.min)
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
