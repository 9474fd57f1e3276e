from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from graders.inprocess import run_trusted, sdk
from graders.session import EpisodeSession
from scenarios.company.profile import DEFAULT
from scenarios.worlds.cloud_bursting import WORLD

EVERY_CALL = """
import sys
from headnode_sdk import ApiError

def control(cluster):
    seen = sys.modules["clouds_probe"].seen
    for _ in range(3):
        assert cluster.tick()
    jobs, clouds = cluster.jobs(), cluster.clouds()
    low = next(job for job in jobs if job.priority == "low" and job.gpus == 8 and job.driver < 580)
    seen.update(jobs=jobs, clouds=clouds, budgets=cluster.budgets(), low=low)
    seen["quote"] = cluster.quote("kestrel", low.id)
    seen["placed"] = cluster.submit(low.id, "kestrel", "job-0")
    cluster.publish(low.id, "starting")
    for _ in range(8):
        cluster.tick()
    seen["runs"] = cluster.runs("kestrel")
    seen["log"] = cluster.run_log("kestrel", seen["placed"].id)
    seen["told"] = next(job for job in cluster.jobs() if job.id == low.id)
    seen["saved"] = cluster.cancel_run("kestrel", seen["placed"].id)
    try:
        cluster.pools()
    except ApiError as error:
        seen["absent"] = error
"""


def played(monkeypatch: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    probe = ModuleType("clouds_probe")
    probe.__dict__["seen"] = found
    monkeypatch.setitem(sys.modules, "clouds_probe", probe)
    setting = WORLD.settings(
        {"clouds": ["kestrel", "plover"], "team_share": 0.3, "drivers": True, "hours": 30}
    )
    period = WORLD.open(DEFAULT, setting, "steady", "sdk", faults=False)
    run_trusted(EVERY_CALL, EpisodeSession(period, WORLD.methods))
    return {**found, "period": period}


def test_every_verb_of_the_clouds_fits_the_world(monkeypatch: Any) -> None:
    seen = played(monkeypatch)
    assert list(seen["clouds"]) == ["primary", "kestrel", "plover"]
    assert [cloud.unit for cloud in seen["clouds"].values()] == [
        "gpu_hour",
        "gpu_hour",
        "node_hour",
    ]
    assert seen["clouds"]["kestrel"].driver == 580
    assert sorted(seen["budgets"]) == ["day", "maps", "search", "speech", "vision"]
    quote, low = seen["quote"], seen["low"]
    assert (quote.cloud, quote.job) == ("kestrel", low.id)
    assert abs(quote.compute + quote.transfer - quote.usd) < 0.02
    assert seen["placed"].key == "job-0"
    assert [(run.key, run.exit_code) for run in seen["runs"]] == [("job-0", -1)]
    assert seen["log"].lines[0].strip().endswith("started")
    assert seen["log"].next == len(seen["log"].lines)
    assert seen["told"].state == "starting"
    assert seen["saved"] is bool(low.checkpoint)
    assert type(seen["absent"]).__name__ == "InvalidRequest"


def test_job_of_the_sdk_says_what_the_world_means(monkeypatch: Any) -> None:
    seen = played(monkeypatch)
    specs = seen["period"].world.jobs.spec
    assert len(seen["jobs"]) > 10
    for job in seen["jobs"]:
        spec = specs[job.id]
        assert (job.gpus, job.team, job.protected) == (spec.gpus, spec.team, spec.protected)
        assert (job.data_gb, job.residency, job.driver) == (
            spec.data_gb,
            spec.residency,
            spec.driver,
        )
        assert job.limit == spec.limit // 1000
        assert job.checkpoint == spec.every // 1000


def test_offset_of_a_log_and_time_of_a_state_have_defaults() -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def call(method: str, **params: Any) -> Any:
        asked.append((method, params))
        return {"at": 300, "rows": {"lines": [], "next": 0, "complete": False}}

    cluster = sdk().Cluster(call)
    cluster.run_log("kestrel", "ke-1")
    cluster.publish(3, "queued")
    assert asked == [
        ("run_log", {"cloud": "kestrel", "run": "ke-1", "offset": 0}),
        ("publish", {"job": 3, "status": "queued", "since": -1}),
    ]
    assert cluster.read_at == 300
