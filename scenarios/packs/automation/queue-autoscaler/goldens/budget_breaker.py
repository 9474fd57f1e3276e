"""Keeps both pools at their largest all day: no wait, no thought, no thrift."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            for pool in cluster.pools().values():
                if pool.size < pool.max:
                    cluster.scale(pool.name, pool.max)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
