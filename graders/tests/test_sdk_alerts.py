"""The monitor's part of the SDK against the world it is made for."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from graders.inprocess import run_trusted, sdk
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.worlds import load_world

EVERY_CALL = """
import sys
from headnode_sdk import Evidence, Panel
def control(cluster):
    for _ in range(30):
        assert cluster.tick()
    gpus, samples, processes = cluster.gpus(), cluster.samples(), cluster.processes()
    jobs, nodes, windows = cluster.jobs(), cluster.nodes(), cluster.maintenance()
    kept = dict(gpus=gpus, samples=samples, processes=processes, jobs=jobs, nodes=nodes,
                windows=windows, contacts=cluster.contacts(), log=cluster.logs(processes[0].job),
                kernel=cluster.logs(nodes[0].name))
    alert = cluster.alert("idle", [gpus[0].name], "x" * 900)
    cluster.finding(alert, "slow_input", [Evidence("util", gpus[0].name, 3)])
    kept["alerts"] = cluster.alerts()
    cluster.dashboard([Panel("a", gpus[0].name, "util", "%", 10)])
    cluster.warn(processes[0].job, "it will be ended")
    cluster.cancel(processes[0].job)
    cluster.resolve(alert)
    kept["left"] = cluster.alerts()
    sys.modules["sdk_probe"] = type(sys)("sdk_probe")
    sys.modules["sdk_probe"].kept = kept
"""
SENIOR = {
    "fleet": "ten",
    "days": 8,
    "rules": ["idle", "lost", "held", "stalled"],
    "actions": True,
    "audit": True,
}


def test_every_verb_of_a_monitor_fits_the_world() -> None:
    world = load_world("gpu_idle_alerts")
    days = world.open(DEFAULT, world.settings(SENIOR), "steady", "sdk", faults=False)
    run_trusted(EVERY_CALL, EpisodeSession(days, world.methods))
    kept: dict[str, Any] = sys.modules["sdk_probe"].kept
    gpus = {gpu.name: gpu for gpu in kept["gpus"]}
    assert {sample.gpu for sample in kept["samples"]} <= set(gpus)
    assert {process.gpu for process in kept["processes"]} <= set(gpus)
    slices = [gpu for gpu in gpus.values() if gpu.parent]
    assert slices
    assert all(not gpus[one.parent].takes_jobs for one in slices)
    assert all(one.takes_jobs for one in slices)
    assert {job.state for job in kept["jobs"]} >= {"pending", "running"}
    contract = next(window for window in kept["windows"] if window.kind == "contract")
    assert contract.covers("gpu-10/0", 600)
    assert not contract.covers("gpu-01/0", 600)
    assert {contact.team for contact in kept["contacts"]} >= {"ops", "biology"}
    assert all(type(line) is str for line in kept["log"] + kept["kernel"])
    (alert,) = kept["alerts"]
    assert (alert.rule, alert.severity, alert.team) == ("idle", "ticket", "ops")
    assert (alert.handled, alert.cause) == (False, "slow_input")
    assert kept["left"] == []
    assert days.figures()["jobs_cancelled"] == 1


def test_long_texts_are_cut_and_values_become_strings() -> None:
    library, asked = sdk(), []

    def call(method: str, **params: Any) -> Any:
        asked.append((method, params))
        return {"id": 5}

    cluster = library.Cluster(call)
    assert cluster.alert("lost", ("gpu-01/0",), "y" * 900, "page") == 5
    cluster.finding(5, "gpu_lost", [library.Evidence("last_sample", "gpu-01/0", 600)])
    assert len(asked[0][1]["text"]) == 400
    assert asked[0][1]["gpus"] == ["gpu-01/0"]
    assert asked[1][1]["evidence"] == [["last_sample", "gpu-01/0", "600"]]


@pytest.mark.parametrize("evidence", [[["util", "gpu-01/0"]], [["util", "gpu-01/0", 3]], "util"])
def test_malformed_evidence_is_refused_at_the_door(evidence: object) -> None:
    world = load_world("gpu_idle_alerts")
    assert not world.methods["finding"]["evidence"](evidence)


@pytest.mark.parametrize(
    "panel",
    [
        ["t", "gpu-01/0", "util", "%"],
        ["t", "gpu-01/0", "util", "%", "10"],
        ["t", 1, "util", "%", 1],
    ],
)
def test_malformed_panels_are_refused_at_the_door(panel: object) -> None:
    assert not load_world("gpu_idle_alerts").methods["dashboard"]["panels"]([panel])
