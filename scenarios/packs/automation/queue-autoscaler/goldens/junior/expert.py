"""Packs waiting jobs onto the pool by priority, replaces dead nodes, moves low work aside for urgent jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import headnode_sdk
from headnode_sdk import ApiError, ApiTimeout, Cluster, Conflict, Job, Node, NotFound, Pool

POOL = "ondemand"
IDLE_SECONDS = 6 * 60
YOUNG = 48 * 60
"""A node is paid for an hour from the moment it is asked for, and takes 8 to 15 minutes to come up."""
LOW_PATIENCE = 10 * 60
TRIES = 3
ORDER = {"high": 0, "normal": 1, "low": 2}
T = TypeVar("T")


def pack(jobs: list[Job], bins: list[int], per_node: int) -> list[Job]:
    """Place jobs on free GPUs (changing `bins`); returns those without a place."""
    left = []
    for job in jobs:
        need, size = max(1, job.gpus // per_node), min(job.gpus, per_node)
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

    def read(self, ask: Callable[[], T]) -> T:
        """One read, repeated when it times out."""
        for _ in range(TRIES - 1):
            try:
                return ask()
            except ApiTimeout:
                continue
        return ask()

    def step(self) -> None:
        nodes, jobs = self.read(self.cluster.nodes), self.read(self.cluster.jobs)
        for node in nodes:
            if node.state == "down":
                self.attempt(self.cluster.release, node.name)
        pool = self.read(self.cluster.pools)[POOL]
        per_node = nodes[0].gpus if nodes else 8
        usable = [n for n in nodes if n.state != "down"]
        bins = [n.gpus if n.state == "starting" else n.free for n in usable]
        pending = [job for job in jobs if job.state in ("pending", "held")]
        pending.sort(key=lambda job: (ORDER[job.priority], job.submitted))
        unplaced = pack(pending, bins, per_node)
        pressing = [job for job in unplaced if job.priority != "low" or job.waited >= LOW_PATIENCE]
        target = min(pool.max, pool.size + nodes_for(pressing, per_node))
        if target > pool.size:
            self.attempt(self.cluster.scale, POOL, target)
        elif unplaced:
            self.make_room(unplaced, jobs, per_node)
        self.shrink(pool, usable, bins, per_node)

    def make_room(self, unplaced: list[Job], jobs: list[Job], per_node: int) -> None:
        """Move low-priority work aside for an urgent job when the pool is at its largest."""
        urgent = [job for job in unplaced if job.priority == "high"]
        if not urgent or self.cluster.now - self.preempted_at < 240:
            return
        movable = [
            job
            for job in jobs
            if job.state == "running"
            and job.priority == "low"
            and job.checkpoint
            and not job.protected
            and job.gpus >= min(urgent[0].gpus, per_node)
        ]
        need = urgent[0].gpus
        for job in sorted(movable, key=lambda job: (-job.started, job.gpus)):
            if need <= 0:
                break
            self.attempt(self.cluster.preempt, job.id)
            self.preempted_at = self.cluster.now
            need -= job.gpus

    def shrink(self, pool: Pool, nodes: list[Node], bins: list[int], per_node: int) -> None:
        """Give back nodes that stayed idle, beyond what waiting jobs will take."""
        now = self.cluster.now
        spare = min(sum(free == per_node for free in bins), pool.size - pool.min)
        for node in nodes:
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
