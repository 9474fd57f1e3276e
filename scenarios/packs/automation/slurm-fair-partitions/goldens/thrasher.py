"""Answers every twitch with new limits: caps, lifts and requeues, every quarter of an hour."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    jobs = cluster.jobs()
    waiting = {job.team for job in jobs if job.state == "pending"}
    for quota in cluster.quotas():
        wanted = quota.queue in waiting
        cap = quota.nominal + (8 if wanted else 0)
        cluster.modify_qos(quota.queue, priority=500 if wanted else 50, grp_gpus=cap)
    for team in cluster.teams():
        cluster.set_shares(team.name, team.shares + (20 if team.name in waiting else 0))
    for job in jobs:
        stray = not job.name.startswith(("infer", "score", "rerank"))
        if job.queue == "inference" and job.state == "pending" and stray:
            home = next(p for p in cluster.partitions().values() if p.purpose == "training")
            cluster.move(job.id, home.name)
    borrowers = {quota.queue for quota in cluster.quotas() if quota.borrowed > 4}
    running = [job for job in jobs if job.state == "running" and job.team in borrowers]
    for job in sorted(running, key=lambda job: -job.started)[:2]:
        if waiting - borrowers and not job.protected and job.queue != "inference":
            cluster.requeue(job.id)
    for row in cluster.activity():
        if row.idle > 7200:
            cluster.cancel(row.job)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
