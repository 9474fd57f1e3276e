from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from graders.inprocess import run_trusted, sdk
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack

EVERY_CALL = """
import sys
seen = sys.modules["checkpoint_probe"].seen

def until(cluster, kind):
    while cluster.tick():
        if any(event.kind == kind for event in cluster.events):
            return

def control(cluster):
    assert cluster.tick()
    zone = next(iter(cluster.zones().values()))
    run = next(iter(cluster.trainings().values()))
    seen["zone"], seen["begun"] = zone, run
    cluster.scale(zone.spot_pool, 6)
    while sum(node.idle for node in cluster.nodes()) < run.min_nodes:
        cluster.tick()
    gang = [node.name for node in cluster.nodes() if node.idle][: run.min_nodes]
    cluster.launch(run.name, gang)
    until(cluster, "joined")
    cluster.set_cadence(run.name, 500, "async")
    cluster.tick()
    made = cluster.save(run.name)
    until(cluster, "saved")
    seen["running"] = cluster.trainings()[run.name]
    seen["seconds"] = cluster.verify(made)
    seen["stopped"] = cluster.stop(run.name)
    until(cluster, "checked")
    seen["checkpoints"] = cluster.checkpoints()
    copy = cluster.replicate(made, "west-2")
    up = [node.name for node in cluster.nodes() if node.idle and node.reclaim_at < 0]
    cluster.launch(run.name, up[: run.min_nodes], made)
    until(cluster, "joined")
    back = cluster.trainings()[run.name]
    step = next(c.step for c in seen["checkpoints"] if c.name == made)
    cluster.record_resume(run.name, made, step, back.stop_step - step)
    seen["back"], seen["copy"] = back, copy
    until(cluster, "copied")
    cluster.delete_checkpoint(copy)
    seen["stores"] = cluster.stores()
"""


def test_every_verb_of_the_sdk_fits_the_world() -> None:
    pack = load_pack("automation/spot-checkpointing")
    probe = ModuleType("checkpoint_probe")
    seen: dict[str, Any] = {}
    probe.seen = seen  # type: ignore[attr-defined]
    sys.modules["checkpoint_probe"] = probe
    week = pack.world.open(DEFAULT, pack.settings("senior"), "steady", "sdk", faults=False)
    run_trusted(EVERY_CALL, EpisodeSession(week, pack.world.methods))
    zone, begun, running, back = seen["zone"], seen["begun"], seen["running"], seen["back"]
    assert (zone.spot_pool, zone.ondemand_pool) == ("spot-east-1a", "ondemand-east-1a")
    assert (begun.state, begun.active, begun.every, begun.mode) == ("stopped", False, 1000, "sync")
    assert running.active
    assert (running.every, running.mode, running.checkpoint_gb) == (500, "async", 182)
    [made] = [c for c in seen["checkpoints"] if c.name == back.resumed_from]
    assert (made.checked, made.state, made.gb, made.region) == ("good", "stored", 182, "east-1")
    assert seen["seconds"] == 152
    assert seen["copy"] == f"{made.name}@west-2"
    assert back.stop_step == seen["stopped"] >= made.step
    assert seen["stores"]["west-2"].used_gb == 0
    assert week.figures()["transfer_usd"] > 0
    assert week.figures()["broken_rules"] == []


def test_rows_become_objects_by_name() -> None:
    library = sdk()
    answers: dict[str, Any] = {
        "stores": [["east-1", 364, 1200, 2400]],
        "zones": [["east-1a", "east-1", 10.4, 27.6, 7]],
        "checkpoints": [["c", "run", 5, "east-1", "writing", 9, 60, -1, "", "", 1.9]],
    }
    cluster = library.Cluster(lambda method, **params: {"at": 60, "rows": answers[method]})
    assert cluster.stores()["east-1"].quota_gb == 1200
    assert cluster.zones()["east-1a"].score == 7
    assert cluster.checkpoints()[0].written_at == -1
    assert cluster.read_at == 60
