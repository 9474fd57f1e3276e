"""Never lets anything be: saves all the time and follows every price to another zone."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Training, Zone

EVERY_STEPS = 40


def newest(cluster: Cluster, run: Training, region: str) -> str:
    mine = [
        c
        for c in cluster.checkpoints()
        if c.training == run.name and c.region == region and c.gb >= run.checkpoint_gb
    ]
    return mine[-1].name if mine else ""


def follow(cluster: Cluster, run: Training, best: Zone) -> None:
    """Have a full gang in the cheapest zone, whatever runs where at present."""
    nodes = cluster.nodes()
    size = min(4, run.max_nodes)
    there = [n for n in nodes if n.pool == best.spot_pool and n.state == "ready"]
    in_gang = [n for n in there if n.name in run.nodes]
    if run.active and len(in_gang) == len(run.nodes):
        cluster.set_cadence(run.name, EVERY_STEPS, "sync")
        return
    free = [n.name for n in there if n.free]
    if len(free) < size:
        cluster.scale(best.spot_pool, size)
        return
    if run.active:
        cluster.stop(run.name)
    cluster.launch(run.name, free[:size], newest(cluster, run, best.region))


def step(cluster: Cluster) -> None:
    for event in cluster.events:
        if event.kind == "load_failed":
            cluster.delete_checkpoint(event.node)
        if event.kind in ("join_timeout", "node_down"):
            cluster.release(event.node)
    zones = cluster.zones().values()
    best = min(zones, key=lambda zone: zone.spot_price)
    for run in cluster.trainings().values():
        if run.state != "finished":
            follow(cluster, run, best)
    for zone in zones:
        if zone != best:
            cluster.scale(zone.spot_pool, 0)
    saved = cluster.checkpoints()
    for old in saved[:-6]:
        cluster.delete_checkpoint(old.name)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
