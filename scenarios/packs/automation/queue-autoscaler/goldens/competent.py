"""Sizes both pools by waiting GPUs, gives dead and idle nodes back, survives failed calls."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Job, Node, Pool

IDLE_MINUTES = 20


def nodes_wanted(jobs: list[Job], free: int, per_node: int) -> int:
    waiting = sum(job.gpus for job in jobs)
    return max(0, -(-(waiting - free) // per_node))


def free_gpus(nodes: list[Node], pool: str, per_node: int) -> int:
    mine = [n for n in nodes if n.pool == pool]
    starting = sum(per_node for n in mine if n.state == "starting")
    return starting + sum(n.free for n in mine if n.state == "ready" and not n.cordoned)


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.idle_since: dict[str, int] = {}

    def step(self) -> None:
        jobs, nodes = self.cluster.jobs(), self.cluster.nodes()
        pools = self.cluster.pools()
        pending = [job for job in jobs if job.state == "pending"]
        per_node = nodes[0].gpus if nodes else 8
        for node in nodes:
            if node.state == "down":
                self.cluster.release(node.name)
        for pool in pools.values():
            mine = [job for job in pending if job.spot == pool.spot]
            extra = nodes_wanted(mine, free_gpus(nodes, pool.name, per_node), per_node)
            if extra:
                self.grow(pool, extra)
            elif not mine:
                self.shrink(pool, nodes)

    def grow(self, pool: Pool, extra: int) -> None:
        target = min(pool.max, pool.size + extra)
        if target > pool.size:
            self.cluster.scale(pool.name, target)

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
