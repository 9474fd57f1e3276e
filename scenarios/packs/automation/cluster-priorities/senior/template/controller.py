"""Runs beside Kueue in both regions. Started as it is by Run and by the graders; all else is yours."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster


def step(cluster: Cluster) -> None:
    """One round."""
    for event in cluster.events:
        if event.kind not in ("submitted", "finished"):
            print(f"{event.at / 3600:5.1f} h  {event.kind} {event.node}")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            print(f"{cluster.now / 3600:5.1f} h  {error}")


if __name__ == "__main__":
    main()
