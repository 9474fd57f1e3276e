"""A sound controller by a person with an hour: quotas, notices, deadlines first; little finesse."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Flavor, Node, QuotaPlan, Room, Workload

DAY = 86_400
UNREADY_AFTER = 1500
BUDGETS = {"ondemand-east": 450.0}


def answer_trouble(cluster: Cluster, works: list[Workload], nodes: dict[str, Node]) -> None:
    """Save what is about to lose its node; send back what never got ready."""
    for work in works:
        going = [n for n in work.nodes if n in nodes and nodes[n].reclaim_at >= 0]
        if work.state == "running" and going and work.checkpoint:
            with contextlib.suppress(ApiError):
                cluster.preempt(work.id)
        elif work.state == "starting" and cluster.now - work.admitted_at > UNREADY_AFTER:
            with contextlib.suppress(ApiError):
                cluster.requeue(work.id)


def follow_calendar(cluster: Cluster, plan: list[QuotaPlan]) -> None:
    clock = cluster.now % DAY
    if not plan:
        return
    begun = [row.begins for row in plan if row.begins <= clock]
    begins = max(begun) if begun else max(row.begins for row in plan)
    now = {(quota.queue, quota.flavor): quota.nominal for quota in cluster.quotas()}
    rows = [row for row in plan if row.begins == begins]
    for row in sorted(rows, key=lambda row: row.nominal - now[row.queue, row.flavor]):
        if now[row.queue, row.flavor] != row.nominal:
            cluster.set_quota(row.queue, row.flavor, row.nominal)


def affordable(cluster: Cluster, work: Workload, flavors: dict[str, Flavor], name: str) -> bool:
    budget = next((usd for key, usd in BUDGETS.items() if key in flavors), 0.0)
    if not budget or flavors[name].spot or work.kind == "deadline":
        return True
    spent = sum(flavor.spent_today for flavor in flavors.values() if not flavor.spot)
    return spent < (0.9 if work.kind == "adhoc" else 0.6) * budget


def place(
    cluster: Cluster,
    work: Workload,
    flavors: dict[str, Flavor],
    rooms: dict[tuple[str, str], Room],
) -> bool:
    """The first flavour with room under the quota, with all GPUs or with as few as it can take."""
    for gpus in dict.fromkeys((work.gpus, work.min_gpus)):
        for name in work.flavors:
            room = rooms.get((work.queue, name))
            if room is None or room.total < gpus or flavors[name].free < gpus:
                continue
            if not affordable(cluster, work, flavors, name):
                continue
            with contextlib.suppress(ApiError):
                cluster.admit(work.id, name, gpus)
                return True
    return False


def make_room(cluster: Cluster, work: Workload, works: list[Workload]) -> None:
    """Save batch work, the newest first, until the flavour has enough for the deadline."""
    flavor = work.flavors[0]
    here = [one for one in works if one.flavor == flavor and one.priority < work.priority]
    missing = work.gpus - sum(one.admitted_gpus for one in here if one.state == "saving")
    batch = [one for one in here if one.state == "running" and one.kind == "long"]
    for one in sorted(batch, key=lambda one: -one.admitted_at):
        if missing > 0:
            cluster.preempt(one.id)
            missing -= one.admitted_gpus


def step(cluster: Cluster, plan: list[QuotaPlan]) -> None:
    works = cluster.workloads()
    answer_trouble(cluster, works, {node.name: node for node in cluster.nodes()})
    follow_calendar(cluster, plan)
    flavors, rooms = cluster.flavors(), cluster.room()
    pending = [work for work in works if work.state == "pending"]
    pending.sort(key=lambda work: (-work.priority, work.submitted))
    for work in pending[:12]:
        if place(cluster, work, flavors, rooms):
            flavors, rooms = cluster.flavors(), cluster.room()
        elif work.kind == "deadline":
            make_room(cluster, work, works)
            return


def control(cluster: Cluster) -> None:
    plan: list[QuotaPlan] | None = None
    while cluster.tick():
        try:
            # which quota holds when is fixed; it is read once
            plan = cluster.calendar() if plan is None else plan
            step(cluster, plan)
        except ApiError as error:
            cluster.log(f"round given up: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
