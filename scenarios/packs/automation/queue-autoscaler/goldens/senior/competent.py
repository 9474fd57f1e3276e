"""Sizes every pool by the jobs that may run there, gives dead and idle nodes back, survives failed calls."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Job, Node, Pool

IDLE_MINUTES = 20


def free_gpus(nodes: list[Node], pool: str) -> int:
    mine = [n for n in nodes if n.pool == pool and not n.cordoned and n.reclaim_at < 0]
    return sum(n.gpus if n.state == "starting" else n.free for n in mine if n.state != "down")


def home(job: Job, pools: dict[str, Pool]) -> str:
    """The pool a job is sized for: cheapest of its kind where its data lies."""
    mine = [p for p in pools.values() if p.spot == job.spot and job.zone in ("", p.zone)]
    open_ones = [p for p in mine if p.size < p.max] or mine
    return min(open_ones, key=lambda pool: (pool.price, pool.name)).name


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.idle_since: dict[str, int] = {}

    def step(self) -> None:
        for event in self.cluster.events:
            if event.kind == "spot_notice":
                self.cluster.drain(event.node)
        jobs, nodes = self.cluster.jobs(), self.cluster.nodes()
        pools = self.cluster.pools()
        for node in nodes:
            if node.state == "down":
                self.cluster.release(node.name)
        wanted = dict.fromkeys(pools, 0)
        for job in jobs:
            if job.state == "pending":
                wanted[home(job, pools)] += job.gpus
        for pool in pools.values():
            self.size(pool, wanted[pool.name], nodes)

    def size(self, pool: Pool, wanted: int, nodes: list[Node]) -> None:
        per_node = nodes[0].gpus if nodes else 8
        extra = -(-(wanted - free_gpus(nodes, pool.name)) // per_node)
        if wanted and extra > 0:
            target = min(pool.max, pool.size + extra)
            if target > pool.size:
                self.cluster.scale(pool.name, target)
        elif not wanted:
            self.shrink(pool, nodes)

    def shrink(self, pool: Pool, nodes: list[Node]) -> None:
        size = pool.size
        for node in nodes:
            if node.pool != pool.name:
                continue
            if not node.idle:
                self.idle_since.pop(node.name, None)
                continue
            since = self.idle_since.setdefault(node.name, self.cluster.now)
            if self.cluster.now - since >= IDLE_MINUTES * 60 and size > pool.min:
                self.cluster.release(node.name)
                size -= 1


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        try:
            controller.step()
        except ApiError as error:
            cluster.log(f"trying again next minute: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
