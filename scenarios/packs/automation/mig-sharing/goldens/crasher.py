"""Runs for an hour of the day and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 3600:
            layouts = {gpu.name: gpu.instances for gpu in cluster.mig_gpus()}
            cluster.log(layouts["gpu-0"][0].profile)


if __name__ == "__main__":
    control(headnode_sdk.connect())
