"""Follows the newest reading: alert at once, resolve at once."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    open_for = {gpu: alert.id for alert in cluster.alerts() for gpu in alert.gpus}
    for sample in cluster.samples():
        low = sample.util is not None and sample.util < 10
        if low and sample.gpu not in open_for:
            cluster.alert("idle", [sample.gpu], f"{sample.gpu} at {sample.util} %")
        elif not low and sample.gpu in open_for:
            cluster.resolve(open_for.pop(sample.gpu))


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
