"""Runs the cluster's day. Started as it is by Run and by the graders; everything else is yours."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    """One minute's work."""
    if cluster.now % 3600:
        return
    waiting = [job for job in cluster.jobs() if job.state == "pending"]
    metrics = cluster.metrics()
    print(
        f"{cluster.now // 3600:02d}:00  {len(waiting)} jobs wait,"
        f" {metrics.spend:,.0f} of the budget of {metrics.budget:,.0f} spent"
    )


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
