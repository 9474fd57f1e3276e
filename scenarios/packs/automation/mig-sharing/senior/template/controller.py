"""Runs the cluster's day. Started as it is by Run and by the graders; the shape of everything else is yours."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    """Two minutes' work."""
    gpus, services, jobs = cluster.mig_gpus(), cluster.services(), cluster.jobs()
    if cluster.now % 3600 == 0:
        short = sum(service.missing for service in services)
        waiting = sum(job.gpus for job in jobs if job.state == "pending")
        whole = sum(gpu.whole for gpu in gpus)
        print(f"{cluster.now // 3600:02d}:00  {short} replicas short, gangs wait for {waiting} GPUs, {whole} whole")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
