"""Lets every tick pass and does nothing."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        pass


if __name__ == "__main__":
    control(headnode_sdk.connect())
