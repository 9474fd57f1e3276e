"""Every two minutes sizes the pool by waiting GPUs, gives dead and idle nodes back, survives failed calls."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Job, Node

POOL = "ondemand"
ROUND = 2 * 60
IDLE_ROUNDS = 6


def nodes_missing(waiting: list[Job], nodes: list[Node]) -> int:
    per_node = nodes[0].gpus if nodes else 8
    free = sum(node.free for node in nodes if node.state == "ready")
    free += sum(node.gpus for node in nodes if node.state == "starting")
    wanted = sum(job.gpus for job in waiting)
    return max(0, -(-(wanted - free) // per_node))


class Controller:
    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.idle_rounds: dict[str, int] = {}

    def step(self) -> None:
        jobs, nodes = self.cluster.jobs(), self.cluster.nodes()
        for node in nodes:
            if node.state == "down":
                self.cluster.release(node.name)
        pool = self.cluster.pools()[POOL]
        waiting = [job for job in jobs if job.state == "pending"]
        target = min(pool.max, pool.size + nodes_missing(waiting, nodes))
        if target > pool.size:
            self.cluster.scale(POOL, target)
        elif not waiting:
            self.shrink(nodes, pool.size - pool.min)

    def shrink(self, nodes: list[Node], most: int) -> None:
        counts = {n.name: self.idle_rounds.get(n.name, 0) + 1 for n in nodes if n.idle}
        self.idle_rounds = counts
        rested = [name for name, rounds in counts.items() if rounds > IDLE_ROUNDS]
        for name in rested[: max(0, most)]:
            self.cluster.release(name)


def control(cluster: Cluster) -> None:
    controller = Controller(cluster)
    while cluster.tick():
        if cluster.now % ROUND == 0:
            try:
                controller.step()
            except ApiError as error:
                cluster.log(f"trying again in two minutes: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
