"""Runs for two hours of the quarter and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 7_200:
            waiting = {job.qos: job for job in cluster.jobs()}
            cluster.log(waiting["urgent"].gpus)


if __name__ == "__main__":
    control(headnode_sdk.connect())
