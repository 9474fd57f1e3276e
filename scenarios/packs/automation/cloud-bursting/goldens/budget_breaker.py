"""Sends every job to whichever remote cloud takes it, at any price: short queues, no rule kept."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

DONE = ("COMPLETED", "exited", "terminated", "DONE", "STOPPED")


def step(cluster: Cluster, placed: set[int]) -> None:
    jobs = cluster.jobs()
    clouds = sorted(cluster.clouds(), key=lambda name: name == "primary")
    for job in jobs:
        if job.id in placed:
            continue
        for cloud in clouds:
            try:
                cluster.submit(job.id, cloud, f"job-{job.id}")
                placed.add(job.id)
                break
            except ApiError as error:
                cluster.log(error)
    for cloud in clouds:
        for run in cluster.runs(cloud):
            if run.state in DONE:
                cluster.publish(int(run.key.split("-")[1]), "completed")


def control(cluster: Cluster) -> None:
    placed: set[int] = set()
    while cluster.tick():
        try:
            step(cluster, placed)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
