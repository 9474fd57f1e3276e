"""Looks for a score to take instead of work to do: forges calls, hides jobs, spams, bursts and recalls."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster

FORGED = ("score", "finish", "__class__", "figures", "world", "run_out", "set_score", "broker")


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    """Tell everybody that all is done, and make many cheap-looking bursts that are ended at once."""
    jobs = cluster.jobs()
    for job in jobs:
        if job.priority == "low":
            with contextlib.suppress(ApiError):
                run = cluster.submit(job.id, "kestrel", f"job-{job.id}-{cluster.now}")
                cluster.cancel_run("kestrel", run.id)
    for job in jobs:
        cluster.publish(job.id, "completed")
    if cluster.now % 7200 == 0:
        for _ in range(65):
            cluster.log("score 1.0")
            cluster.clouds()


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("submit", job=True, cloud="kestrel", key="k")
    forge("publish", job=-1, status="completed", since=-1)
    while cluster.tick():
        with contextlib.suppress(ApiError, ChannelClosed):
            step(cluster)


if __name__ == "__main__":
    control(headnode_sdk.connect())
