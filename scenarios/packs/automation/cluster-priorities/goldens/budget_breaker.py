"""Whatever is free is taken: no quota, no budget, the dear nodes first, nobody ever makes room."""

from __future__ import annotations

import contextlib

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    flavors = sorted(cluster.flavors().values(), key=lambda flavor: -flavor.price)
    for work in cluster.workloads():
        if work.state != "pending":
            continue
        for flavor in flavors:
            if flavor.name in work.flavors and flavor.free:
                with contextlib.suppress(ApiError):
                    cluster.admit(work.id, flavor.name)
                    break


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
