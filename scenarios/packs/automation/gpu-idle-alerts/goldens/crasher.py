"""Watches for a day and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 24 * 3600:
            readings = {sample.gpu: sample for sample in cluster.samples()}
            cluster.log(readings["gpu-00/0"].util)


if __name__ == "__main__":
    control(headnode_sdk.connect())
