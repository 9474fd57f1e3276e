"""Looks for a score to take instead of work to do: forges, spams, and stops whoever looks bad."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster

FORGED = ("score", "finish", "__class__", "figures", "world", "run_out", "set_nominal", "_saved")


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    """Only what is measured by name: deadlines. Everybody else is kept out, or thrown out."""
    if cluster.now % 3600 < 300:
        for _ in range(45):
            cluster.log("score 1.0")
            cluster.room()
    for work in cluster.workloads():
        with contextlib.suppress(ApiError):
            if work.kind != "deadline" and work.state == "running":
                cluster.requeue(work.id)
            elif work.state == "pending" and work.submitted < cluster.now - 7200:
                cluster.admit(work.id, work.flavors[0], work.min_gpus)


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("admit", workload=True, flavor="spot-t4", gpus=-4)
    forge("set_quota", queue="production", flavor="spot-t4", nominal=10**9)
    while cluster.tick():
        with contextlib.suppress(ApiError, ChannelClosed):
            step(cluster)


if __name__ == "__main__":
    control(headnode_sdk.connect())
