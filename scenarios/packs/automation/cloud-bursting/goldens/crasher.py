"""Runs for two hours of the period and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 7200:
            price = {name: cloud.price for name, cloud in cluster.clouds().items()}
            cluster.log(price["secondary"])


if __name__ == "__main__":
    control(headnode_sdk.connect())
