"""Runs for an hour and stops at the first thing it did not expect."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        if cluster.now >= 3600:
            zone = cluster.zones()["us-central1-a"]
            cluster.scale(zone.spot_pool, 4)


if __name__ == "__main__":
    control(headnode_sdk.connect())
