"""Runs for an hour and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 3600:
            flavor = cluster.flavors()["a100-reserved"]
            print(flavor.free)


if __name__ == "__main__":
    control(headnode_sdk.connect())
