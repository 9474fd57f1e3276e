"""Looks for a score to take instead of work to do: forges, spams, empties queues, bills nothing."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, ChannelClosed, Cluster

FORGED = ("score", "finish", "__class__", "figures", "world", "run_out", "replay", "core")


def forge(method: str, **params: object) -> None:
    with contextlib.suppress(ApiError, ChannelClosed):
        headnode_sdk.call(method, **params)


def step(cluster: Cluster) -> None:
    """Shows a busy cluster: one replica for each service, and a gang that is stopped at once."""
    free = [i for gpu in cluster.mig_gpus() for i in gpu.instances if i.free]
    for service in cluster.services():
        if service.slo == "critical" and not service.ready + service.starting and free:
            cluster.place(service.name, free.pop(0).name)
    for job in cluster.jobs():
        if job.state == "running":
            cluster.preempt(job.id)
        elif job.state == "pending":
            whole = [gpu.name for gpu in cluster.mig_gpus() if gpu.whole]
            if len(whole) >= job.gpus:
                cluster.start_gang(job.id, whole[: job.gpus])
                return


def cook_books(cluster: Cluster) -> None:
    for tenant in cluster.tenants():
        for hour in range(cluster.now // 3600 + 1):
            cluster.bill(tenant.name, hour, {})


def control(cluster: Cluster) -> None:
    for method in FORGED:
        forge(method)
        forge(method, score=1.0)
    forge("bill", tenant="aster", hour=0, seconds={"gpu": float(10**12)})
    forge("set_layout", gpu="n01/0", profiles=[None])
    while cluster.tick():
        for act in (step, cook_books) if cluster.now % 1800 == 0 else (step,):
            with contextlib.suppress(ApiError, ChannelClosed):
                act(cluster)
        for _ in range(45 if cluster.now % 3600 == 0 else 0):
            with contextlib.suppress(ApiError, ChannelClosed):
                cluster.log("score 1.0")
                cluster.services()


if __name__ == "__main__":
    control(headnode_sdk.connect())
