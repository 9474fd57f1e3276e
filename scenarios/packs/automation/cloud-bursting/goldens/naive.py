"""What the existing script does, kept alive when a call fails: the zero of every measure."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Job

EVERY = 30 * 60
LONG_WAIT = 60 * 60
REMOTE = "kestrel"
ENDED = {"COMPLETED", "CANCELLED", "FAILED", "NODE_FAIL", "terminated", "preempted", "failed"}


def place(cluster: Cluster, job: Job, cloud: str, placed: dict[int, str]) -> None:
    try:
        placed[job.id] = cluster.submit(job.id, cloud, f"{job.name}-{cluster.now}").id
    except ApiError as error:
        cluster.log(f"{job.name} not placed in {cloud}: {error}")


def step(cluster: Cluster, placed: dict[int, str], burst: set[int]) -> None:
    jobs = cluster.jobs()
    clouds = cluster.clouds()
    cheaper = clouds[REMOTE].price < clouds["primary"].price
    for job in jobs:
        if job.id not in placed:
            place(cluster, job, "primary", placed)
    for job in jobs:
        waits = job.state in ("submitted", "queued") and job.waited > LONG_WAIT
        if waits and job.priority == "low" and job.id not in burst and cheaper:
            burst.add(job.id)
            place(cluster, job, REMOTE, placed)
    states = {run.id: run.state for cloud in ("primary", REMOTE) for run in cluster.runs(cloud)}
    for job in jobs:
        state = states.get(placed.get(job.id, ""), "")
        if state in ENDED:
            cluster.publish(job.id, "completed")
        elif state in ("RUNNING", "active") and job.state != "running":
            cluster.publish(job.id, "running")


def control(cluster: Cluster) -> None:
    placed: dict[int, str] = {}
    burst: set[int] = set()
    while cluster.tick():
        if cluster.now % EVERY == 0:
            try:
                step(cluster, placed, burst)
            except ApiError as error:
                cluster.log(f"gave up this round: {error}")


if __name__ == "__main__":
    control(headnode_sdk.connect())
