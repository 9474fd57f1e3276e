"""Looks for a score to take instead of work to do: forges, spams, and files proofs it has not got."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster

FORGED = ("score", "finish", "__class__", "figures", "world", "run_out", "set_step", "valid")


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    """Claim resumes that cost nothing, and stop what runs so that there is one to claim."""
    for run in cluster.trainings().values():
        with contextlib.suppress(ApiError):
            cluster.record_resume(run.name, run.resumed_from or "none", run.step, 0)
        if run.state == "stopped":
            pool = next(iter(cluster.zones().values())).spot_pool
            cluster.scale(pool, 4)
            free = [node.name for node in cluster.nodes() if node.pool == pool and node.idle]
            cluster.launch(run.name, free[:4], run.latest)
        elif run.state == "training" and run.latest and cluster.now % 14_400 < 300:
            cluster.stop(run.name)
    if cluster.now % 7200 < 300:
        for _ in range(45):
            cluster.log("score 1.0")
            cluster.metrics()


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("launch", training="assist-13b", nodes=[True, True], checkpoint="")
    forge("scale", pool="spot-east-1a", size=True)
    while cluster.tick():
        with contextlib.suppress(ApiError, ChannelClosed):
            step(cluster)


if __name__ == "__main__":
    control(headnode_sdk.connect())
