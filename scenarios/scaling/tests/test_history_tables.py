"""The history's tables from a trace that is small enough to reckon by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT
from scenarios.scaling import history
from scenarios.scaling.accounting import jobs_of, sacct
from scenarios.scaling.draw import scene_of
from scenarios.scaling.scene import Scene
from scenarios.scaling.traces import JobRow, Traces

HOURS = 48


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(DEFAULT, "junior", 2)


def row(id: int, at: float, start: float, end: float, **more: Any) -> JobRow:
    told: dict[str, Any] = {
        "job_class": "training",
        "gpus": 8,
        "idle_h": 0.0,
        "pool": "Site A",
        "state": "COMPLETED",
    }
    return JobRow(id=id, submitted_h=at, started_h=start, ended_h=end, **(told | more))


@pytest.fixture(scope="module")
def traces(scene: Scene) -> Traces:
    jobs = (
        row(1, 0.5, 0.5, 10.5),
        row(2, 2.25, 6.0, 30.0),
        row(3, 20.0, 26.0, 60.0),
        row(4, 40.0, 49.0, 50.0),
        row(5, 1.0, 1.0, 9.0, job_class="interactive", gpus=1, idle_h=6.0),
    )
    flat = {work.job_class: [8.0] * HOURS for work in scene.work}
    sites = [place.site.name for place in scene.places]
    return Traces(
        start=date(2025, 10, 3),
        hours=HOURS,
        running=flat,
        queued={name: [0.0] * HOURS for name in flat},
        idle=[1.0] * HOURS,
        late=[0.0] * HOURS,
        storage_gbs=[60.0] * HOURS,
        burst_gbs=[12.5] * HOURS,
        storage_limit_gbs=120.0,
        spine={site: [0.5] * HOURS for site in sites},
        power_kw={site: [200.0] * HOURS for site in sites},
        stranded=[0.0] * HOURS,
        jobs=jobs,
    )


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, scene: Scene, traces: Traces) -> dict[str, Any]:
    monkeypatch.setattr(history, "history", lambda *_: traces)
    return {one.path: one for one in history.tables.__wrapped__(scene)}


def column(table: Any, name: str) -> list[Any]:
    at = table.head.index(name)
    return [cells[at] for cells in table.rows]


def test_the_longest_wait_is_of_jobs_that_wait_at_that_hour(tables: dict[str, Any]) -> None:
    oldest = column(tables[history.QUEUE], "training_oldest_wait_h")
    assert oldest[2] == 0
    assert oldest[3:6] == [0.8, 1.8, 2.8]
    assert oldest[6] == 0
    assert oldest[20:27] == [0, 1, 2, 3, 4, 5, 0]
    assert oldest[47] == 7


def test_waits_are_counted_on_the_day_of_the_start(tables: dict[str, Any]) -> None:
    waits = tables[history.WAITS]
    assert column(waits, "day") == ["2025-10-03", "2025-10-04"]
    assert column(waits, "training_jobs") == [2, 1]
    assert column(waits, "training_p95_h") == [3.8, 6]
    assert column(waits, "training_p50_h") == [0, 6]
    assert column(waits, "batch_p95_h") == ["", ""]


def test_a_day_of_all_teams_together_is_all_that_ran(tables: dict[str, Any], scene: Scene) -> None:
    teams = tables[history.TEAMS]
    for cells in teams.rows:
        assert sum(cells[1:-1]) == pytest.approx(cells[-1], abs=1e-6)
        assert cells[-1] == 8 * 24 * len(scene.work)


def test_gpus_that_nothing_holds_are_what_is_left(tables: dict[str, Any], scene: Scene) -> None:
    left = column(tables[history.GPUS], "unallocated_gpus")
    assert set(left) == {scene.gpus - 8 * len(scene.work)}


def test_accounting_has_each_job_in_its_state(scene: Scene, traces: Traces) -> None:
    head, rows = sacct(scene, traces, jobs_of(scene, traces))
    told: list[dict[str, Any]] = [dict(zip(head, cells, strict=True)) for cells in rows]
    states = [one["State"] for one in told]
    assert states == ["COMPLETED"] * 3 + ["RUNNING", "PENDING"]
    assert told[0]["Submit"] == told[0]["Start"] == "2025-10-03T00:30:00"
    assert told[0]["End"] == "2025-10-03T11:00:00"
    assert [one["ElapsedRaw"] for one in told][:2] == [37_800, 8 * 3600]
    running, pending = told[3], told[4]
    assert running["End"] == "Unknown"
    assert 22 * 3600 <= running["ElapsedRaw"] < 23 * 3600
    assert (pending["Start"], pending["End"], pending["AllocTRES"]) == ("Unknown", "Unknown", "")
    assert "gres/gpu=8" in told[0]["AllocTRES"]
    assert all(int(one["TimelimitRaw"]) * 60 >= one["ElapsedRaw"] for one in told)


def test_a_session_that_does_nothing_has_low_utilisation(scene: Scene, traces: Traces) -> None:
    jobs = {job.row.id: job for job in jobs_of(scene, traces)}
    assert jobs[5].util <= 15
    assert jobs[1].util >= 60


@pytest.mark.parametrize(("percent", "found"), [(50, 2), (95, 4), (1, 1)])
def test_quantile_is_one_of_the_values(percent: int, found: int) -> None:
    assert history.quantile([4.0, 1.0, 2.0, 3.0], percent) == found
    assert history.quantile([], percent) == ""
