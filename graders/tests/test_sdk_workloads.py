from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from graders.inprocess import run_trusted
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.worlds.cluster_priorities import WORLD

EVERY_CALL = """
import sys
from headnode_sdk import ApiError

def control(cluster):
    seen = sys.modules["workloads_probe"].seen
    while cluster.now < 3 * 3600:
        cluster.tick()
    works = cluster.workloads()
    pending = next(work for work in works if work.kind == "long")
    flavor = pending.flavors[0]
    seen.update(pending=pending, flavors=cluster.flavors(), quotas=cluster.quotas())
    seen.update(calendar=cluster.calendar(), before=cluster.room()[pending.queue, flavor])
    seen["admission"] = cluster.admit(pending.id, flavor, pending.min_gpus)
    seen["after"] = cluster.room()[pending.queue, flavor]
    seen["held"] = next(work for work in cluster.workloads() if work.id == pending.id)
    cluster.tick()
    seen["lost"] = cluster.requeue(pending.id)
    cluster.admit(pending.id, flavor)
    cluster.tick()
    seen["saved"] = cluster.preempt(pending.id)
    cluster.set_quota("research", "spot-t4", 7)
    seen["changed"] = cluster.quotas()
    try:
        cluster.pools()
    except ApiError as error:
        seen["absent"] = error
"""


def played(monkeypatch: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    probe = ModuleType("workloads_probe")
    probe.__dict__["seen"] = found
    monkeypatch.setitem(sys.modules, "workloads_probe", probe)
    setting = load_pack("automation/cluster-priorities").settings("mid")
    days = WORLD.open(DEFAULT, setting, "steady", "sdk", faults=False)
    run_trusted(EVERY_CALL, EpisodeSession(days, WORLD.methods))
    return found


def test_every_verb_of_workloads_fits_the_world(monkeypatch: Any) -> None:
    seen = played(monkeypatch)
    pending, admission = seen["pending"], seen["admission"]
    assert (pending.state, pending.flavor, pending.ready) == ("pending", "", False)
    assert pending.pending_since >= 0 > pending.admitted_at
    assert (admission.workload, admission.gpus) == (pending.id, pending.min_gpus)
    assert seen["before"].total - seen["after"].total == pending.min_gpus
    assert (seen["held"].state, seen["held"].nodes) == ("starting", admission.nodes)
    assert seen["held"].admitted_at == 3 * 3600
    assert seen["lost"] >= 0
    assert seen["saved"] is True


def test_quotas_flavours_and_the_calendar_are_named_tuples(monkeypatch: Any) -> None:
    seen = played(monkeypatch)
    assert seen["flavors"]["spot-t4"].spot
    assert seen["flavors"]["ondemand-t4"].nodes == 6
    assert {row.begins for row in seen["calendar"]} == {8 * 3600, 20 * 3600}
    changed = {(row.queue, row.flavor): row.nominal for row in seen["changed"]}
    before = {(row.queue, row.flavor): row.nominal for row in seen["quotas"]}
    assert before["research", "spot-t4"] == 8
    assert changed["research", "spot-t4"] == 7
    assert seen["absent"].code == "invalid"
