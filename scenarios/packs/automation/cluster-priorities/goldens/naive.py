"""What the existing script does, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Conflict, Flavor, Workload

EVERY = 1800


def admit_in_order(cluster: Cluster, pending: list[Workload], flavors: list[Flavor], batch: int) -> None:
    """Production first, the rest by age; on demand first; no more than `batch` batch workloads."""
    free = {flavor.name: flavor.free for flavor in flavors}
    for work in pending:
        if work.kind == "long":
            if batch <= 0:
                continue
            batch -= 1
        for flavor in flavors:
            if flavor.name in work.flavors and free[flavor.name] >= work.gpus:
                with contextlib.suppress(Conflict):
                    cluster.admit(work.id, flavor.name)
                free[flavor.name] -= work.gpus
                break


def make_room(cluster: Cluster, works: list[Workload]) -> None:
    """Production waits: batch work has to go, whatever it loses."""
    for work in works:
        if work.kind == "long" and work.state != "pending" and work.flavor.startswith("ondemand"):
            cluster.requeue(work.id)


def step(cluster: Cluster) -> None:
    works = cluster.workloads()
    flavors = sorted(cluster.flavors().values(), key=lambda flavor: (flavor.spot, flavor.name))
    pending = [work for work in works if work.state == "pending"]
    pending.sort(key=lambda work: (work.kind != "deadline", work.pending_since))
    if pending and pending[0].kind == "deadline" and pending[0].waited > 7200:
        make_room(cluster, works)
    running = sum(work.kind == "long" and work.state != "pending" for work in works)
    most = max(2, sum(flavor.nodes for flavor in flavors) // 3)
    admit_in_order(cluster, pending, flavors, most - running)
    if cluster.now % 14_400 < EVERY:
        for work in works:  # whoever is on call deletes pods that hang, when somebody complains
            if work.state == "starting" and cluster.now - work.admitted_at > 7200:
                cluster.requeue(work.id)


def control(cluster: Cluster) -> None:
    due = 0
    while cluster.tick():
        if cluster.now >= due:
            due = cluster.now + EVERY
            try:
                step(cluster)
            except ApiError as error:
                cluster.log(f"gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
