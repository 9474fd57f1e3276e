"""Safety at any price: on demand from the first minute, a spare node, every checkpoint kept."""

from __future__ import annotations

import headnode_sdk
from headnode_sdk import ApiError, Cluster, Training

SPARE = 1


def gang(run: Training) -> int:
    return run.max_nodes


def step(cluster: Cluster) -> None:
    for event in cluster.events:
        if event.kind == "load_failed":
            cluster.delete_checkpoint(event.node)
        if event.kind in ("join_timeout", "node_down"):
            cluster.release(event.node)
    zone = next(iter(cluster.zones().values()))
    runs = [run for run in cluster.trainings().values() if run.state != "finished"]
    wanted = sum(gang(run) for run in runs) + SPARE
    pool = cluster.pools()[zone.ondemand_pool]
    cluster.scale(pool.name, min(pool.max, wanted))
    free = [n.name for n in cluster.nodes() if n.pool == pool.name and n.idle]
    for run in runs:
        if run.state == "training":
            cluster.set_cadence(run.name, 150, "sync")
        if run.state != "stopped" or len(free) < min(gang(run), 4):
            continue
        size = min(gang(run), len(free))
        saved = [
            c.name
            for c in cluster.checkpoints()
            if c.training == run.name and c.gb >= run.checkpoint_gb
        ]
        cluster.launch(run.name, free[:size], saved[-1] if saved else "")
        free = free[size:]
    make_room(cluster)


def make_room(cluster: Cluster) -> None:
    """Only when nothing more can be written."""
    for store in cluster.stores().values():
        mine = [c for c in cluster.checkpoints() if c.region == store.region]
        if store.limit_gb - store.used_gb < max((c.gb for c in mine), default=0):
            cluster.delete_checkpoint(mine[0].name)


def control(cluster: Cluster) -> None:
    while cluster.tick():
        try:
            step(cluster)
        except ApiError as error:
            cluster.log(error)


if __name__ == "__main__":
    control(headnode_sdk.connect())
