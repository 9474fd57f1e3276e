"""Never lets anything be: every round the best flavour and the most urgent work, from scratch."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Workload


def cheapest(cluster: Cluster, work: Workload, free: dict[str, int]) -> str:
    """The cheapest flavour that has room, or none."""
    flavors = cluster.flavors()
    fitting = [name for name in work.flavors if free.get(name, 0) >= work.gpus]
    return min(fitting, key=lambda name: flavors[name].price, default="")


def step(cluster: Cluster) -> None:
    works = cluster.workloads()
    room = cluster.room()
    free = {name: flavor.free for name, flavor in cluster.flavors().items()}
    pending = [work for work in works if work.state == "pending"]
    pending.sort(key=lambda work: (-work.priority, -work.waited))
    for work in pending[:8]:
        name = cheapest(cluster, work, free)
        if name and room[work.queue, name].total >= work.gpus:
            with contextlib.suppress(ApiError):
                cluster.admit(work.id, name)
                free[name] -= work.gpus
                room = cluster.room()
            continue
        for other in works:
            if other.state == "running" and other.priority < work.priority and other.flavor in work.flavors:
                with contextlib.suppress(ApiError):
                    cluster.requeue(other.id)
                break
    for work in works:
        better = cheapest(cluster, work, free)
        if work.state == "running" and better and better != work.flavor:
            with contextlib.suppress(ApiError):
                cluster.preempt(work.id)
            return


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
