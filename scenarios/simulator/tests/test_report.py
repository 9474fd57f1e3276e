"""The wide figures of a run, on a case small enough to do by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from scenarios.simulator.policies import open_policy
from scenarios.simulator.report import (
    quantile,
    summary,
    total,
    write_jobs,
    write_log,
    write_series,
)
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.setting import PoolSetting, PowerSetting, Setting
from scenarios.simulator.world.world import World


def small() -> World:
    """Two users on one node of four GPUs: 4 GPUs for 100 s, then 2 GPUs for 300 s."""
    workload = Workload()
    workload.add(7, 0, 100, 100, 4, ("ann, b", "", "", ""))
    workload.add(3, 50, 300, 300, 2, ("bob", "", "", ""))
    workload.add(9, 60, 1, 1, 5)
    setting = Setting(
        4,
        (PoolSetting("a", 1, price=36.0),),
        power=PowerSetting(1_000, 500, 2.0, price=0.5),
        sample_s=100,
    )
    world = World(workload, open_policy("easy"), setting, "seed")
    world.run()
    return world


def test_summary_is_what_one_gets_by_hand() -> None:
    figures = summary(small())
    assert (figures["jobs"], figures["finished"], figures["refused"]) == (3, 2, 1)
    assert (figures["mean_wait"], figures["median_wait"], figures["p95_wait"]) == (25, 0, 50)
    assert figures["mean_bounded_slowdown"] == pytest.approx((1 + 350 / 300) / 2)
    assert (figures["mean_turnaround"], figures["makespan"]) == (225, 400)
    assert figures["utilisation"] == figures["goodput"] == pytest.approx(1_000 / 1_600)
    assert figures["fragmentation"] == 0
    shares = (1.0, 300 / 350)
    index = sum(shares) ** 2 / (2 * sum(share**2 for share in shares))
    assert figures["fairness"] == pytest.approx(index)
    assert figures["nodes_usd"] == pytest.approx(4.0)
    energy = 2 * (1_000 * 400 + 500 * 1_000) / 3_600 / 1_000
    assert figures["energy_kwh"] == pytest.approx(energy)
    assert figures["cost_usd"] == pytest.approx(4 + energy / 2)


def test_fragmentation_is_what_the_largest_startable_job_leaves_over() -> None:
    workload = Workload()
    workload.add(0, 0, 100, 100, 3)
    workload.add(1, 0, 100, 100, 3)
    world = World(
        workload, open_policy("easy"), Setting(4, (PoolSetting("a", 2),), sample_s=0), "s"
    )
    world.run()
    assert summary(world)["fragmentation"] == pytest.approx(0.5)


def test_files_hold_one_row_for_each_job_event_and_point(tmp_path: Path) -> None:
    world = small()
    for write in (write_jobs, write_log, write_series):
        write(world, tmp_path / write.__name__)
    rows = list(csv.DictReader((tmp_path / "write_jobs").open()))
    assert [(row["job_id"], row["user"], row["wait"]) for row in rows] == [
        ("3", "bob", "50"),
        ("7", "ann, b", "0"),
    ]
    points = list(csv.DictReader((tmp_path / "write_series").open()))
    assert [(p["time"], p["waiting_jobs"], p["busy_gpus"]) for p in points[:3]] == [
        ("0", "1", "0"),
        ("100", "1", "0"),
        ("200", "0", "2"),
    ]
    assert (tmp_path / "write_log").read_text().splitlines()[0] == "time,event,subject"


def test_several_clusters_add_up_with_the_data_moved() -> None:
    part = summary(small())
    both = total([part, part], moved_usd=3.0)
    assert both["cost_usd"] == pytest.approx(2 * part["cost_usd"] + 3)
    assert both["finished"] == 4


def test_quantile_is_an_observed_value() -> None:
    assert quantile(range(1, 101), 95) == 95
    assert quantile([5], 50) == 5
    assert quantile([], 50) == 0
