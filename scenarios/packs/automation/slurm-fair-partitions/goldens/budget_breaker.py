"""Keeps the queue short whatever was agreed: hard caps, no borrowing, and whoever waits is served."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster

HOUR = 3_600


def step(cluster: Cluster) -> None:
    teams = cluster.teams()
    total = sum(p.gpus for p in cluster.partitions().values() if p.purpose == "training")
    for team in teams:
        # the same for everybody, agreement or not
        cluster.modify_qos(team.name, grp_gpus=total // len(teams), user_gpus=4)
    jobs = cluster.jobs()
    for job in jobs:
        if job.kind == "interactive" and job.state == "running":
            cluster.cancel(job.id)
    urgent = [job for job in jobs if job.state == "pending" and job.waited > 2 * HOUR]
    if urgent:
        longest = sorted(
            (job for job in jobs if job.state == "running" and job.queue == urgent[0].queue),
            key=lambda job: job.started,
        )
        for job in longest[:2]:
            cluster.requeue(job.id)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now % HOUR == 0:
            try:
                step(cluster)
            except ApiError as error:
                cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
