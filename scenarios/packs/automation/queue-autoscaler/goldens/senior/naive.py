"""What the cron scripts of both regions do, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

POOLS = ("oslo-ondemand", "dublin-ondemand")


def step(cluster: Cluster, name: str) -> None:
    waiting = sum(job.state == "pending" for job in cluster.jobs())
    pool = cluster.pools()[name]
    if waiting > 5:
        cluster.scale(name, min(pool.max, pool.size + 1))
    elif waiting == 0:
        cluster.scale(name, max(pool.min, pool.size - 1))


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now % 300 == 0:
            for name in POOLS:
                try:
                    step(cluster, name)
                except ApiError as error:
                    cluster.log(f"{name}: gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
