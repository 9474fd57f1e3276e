"""Follows every twitch of the queue: up at once, down at once."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    jobs = cluster.jobs()
    for pool in cluster.pools().values():
        gpus = sum(job.gpus for job in jobs if job.spot == pool.spot)
        wanted = -(-gpus // 8)
        cluster.scale(pool.name, max(pool.min, min(pool.max, wanted)))


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
