"""Runs the monitor: look, decide, tell. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from rules import Readings, under_a_rule


def step(cluster: Cluster, readings: Readings) -> None:
    """Ten minutes' work. As it stands it only prints: alerts, causes and actions are yours."""
    gpus = {gpu.name: gpu for gpu in cluster.gpus()}
    readings.add(cluster.samples(), cluster.now)
    suspects = [gpu for gpu in gpus.values() if under_a_rule(gpu, readings, cluster.now)]
    if cluster.now % 86400 == 0:
        held = sum(gpu.job >= 0 for gpu in gpus.values())
        print(f"day {cluster.now // 86400}: {held} GPUs given out, {len(suspects)} suspects")


def main() -> None:
    cluster = headnode_sdk.connect()
    readings = Readings()
    while cluster.tick():
        try:
            step(cluster, readings)
        except ApiError as error:
            # Enough to reach the last day; whether it is good enough is for you to judge.
            print(f"{cluster.now // 3600} h: {error}")


if __name__ == "__main__":
    main()
