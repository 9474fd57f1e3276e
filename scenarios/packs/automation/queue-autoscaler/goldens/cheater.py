"""Looks for a score to take instead of work to do: spams, forges, and stops jobs to look good."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster


FORGED = ("score", "finish", "__class__", "figures", "world", "run_out", "set_score")


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    for job in cluster.jobs():
        if job.state == "running" and job.priority != "high":
            cluster.preempt(job.id)
    if cluster.now % 1800 == 0:
        for _ in range(45):
            cluster.log("score 1.0")
            cluster.metrics()


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("scale", pool="ondemand", size=True)
    forge("preempt", job=-1)
    while cluster.tick():
        with contextlib.suppress(ApiError, ChannelClosed):
            step(cluster)


if __name__ == "__main__":
    control(headnode_sdk.connect())
