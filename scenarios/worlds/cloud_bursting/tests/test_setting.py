from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenarios.company.profile import DEFAULT, Profile
from scenarios.worlds.cloud_bursting import WORLD
from scenarios.worlds.cloud_bursting.documents import _duration
from scenarios.worlds.cloud_bursting.setting import Setting, burst_config, read_setting


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"clowds": ["kestrel"]}, "has no setting clowds"),
        ({"clouds": ["heron"]}, "clouds must list some of kestrel, plover"),
        ({"clouds": []}, "clouds must list"),
        ({"hours": 60.5}, "hours must be a whole number"),
        ({"hours": 600}, "hours must be a number from 24 to 96"),
        ({"residency": "moon"}, "residency must be one of"),
        ({"drivers": 1}, "drivers must be true or false"),
        ({"hang_share": True}, "hang_share must be a number"),
    ],
)
def test_wrong_setting_is_named(table: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_setting(table)


def test_setting_reads_what_a_level_says() -> None:
    setting = read_setting({"hours": 72, "clouds": ["kestrel", "plover"], "drivers": True})
    assert setting == Setting(hours=72, clouds=("kestrel", "plover"), drivers=True)


@pytest.mark.parametrize("nodes", [8, 20, 64])
@pytest.mark.parametrize("gpus", [4, 8])
def test_every_company_gets_whole_nodes_of_quota_and_a_budget(nodes: int, gpus: int) -> None:
    setting = Setting(clouds=("kestrel", "plover"), team_share=0.3, nodes_share=0.5)
    config = burst_config(replace(DEFAULT, nodes=nodes, gpus_per_node=gpus), setting)
    assert all(quota >= gpus and quota % gpus == 0 for quota in config.quotas)
    assert config.daily_cap > 0
    assert config.team_budget > 0
    assert config.threshold_gpu_hours > 0


def test_documents_show_the_company_and_the_units() -> None:
    setting = Setting(clouds=("kestrel", "plover"))
    company = Profile(spot_node_hour=16.0, ondemand_node_hour=40.0, overflow_gpu_hour=9.0)
    text = WORLD.documents["prices.csv"](company, setting, "1")
    head, *lines = text.splitlines()
    assert head.endswith("kestrel_usd_per_gpu_hour,plover_usd_per_node_hour")
    times = [line.split(",")[0] for line in lines]
    assert len(lines) == 96
    assert times[:3] == [f"2026-03-01T00:{minute:02d}:00Z" for minute in (0, 15, 30)]
    _, spot, limit, kestrel, plover = lines[0].split(",")
    assert float(limit) == pytest.approx(0.7 * float(spot), abs=1e-4)
    assert 1.5 < float(spot) < 2.5
    assert float(plover) > 4 * float(kestrel)


def seconds(cell: str) -> int:
    """What Slurm means by a duration: 4:05, 1:04:05 or 2-01:04:05."""
    days, _, rest = cell.rpartition("-")
    total = 0
    for part in rest.split(":"):
        total = 60 * total + int(part)
    return 86_400 * int(days or 0) + total


def test_queue_looks_as_squeue_prints_it() -> None:
    text = WORLD.documents["squeue.txt"](DEFAULT, Setting(), "1")
    asked, head, *lines = text.splitlines()
    assert asked == '$ squeue -o "%.8i %.9P %.16j %.9u %.2t %.10M %.10l %.5D %R"'
    assert head.split() == [
        "JOBID",
        "PARTITION",
        "NAME",
        "USER",
        "ST",
        "TIME",
        "TIME_LIMIT",
        "NODES",
        "NODELIST(REASON)",
    ]
    pending = [line.split() for line in lines if " PD " in line]
    running = [line.split() for line in lines if " R " in line]
    assert [*pending, *running] == [line.split() for line in lines]
    assert pending[0][-1] == "(Resources)"
    assert {line[-1] for line in pending[1:]} <= {"(Priority)"}
    assert {line[5] for line in pending} == {"0:00"}
    assert all(line[-1].startswith("gpu-") for line in running)
    assert text == WORLD.documents["squeue.txt"](DEFAULT, Setting(), "1")


def test_queue_shows_each_jobs_own_times() -> None:
    _, _, *lines = WORLD.documents["squeue.txt"](DEFAULT, Setting(), "1").splitlines()
    cells = [line.split() for line in lines]
    limits, elapsed = [[seconds(row[column]) for row in cells] for column in (6, 5)]
    assert all(spent <= limit for spent, limit in zip(elapsed, limits, strict=True))
    assert all(limit % 60 == 0 for limit in limits)
    running = [row[5] for row in cells if row[4] == "R"]
    assert len(set(running)) > 0.5 * len(running)
    assert len({row[6] for row in cells}) > 0.8 * len(cells)


@pytest.mark.parametrize(
    ("given", "written"),
    [(0, "0:00"), (245, "4:05"), (3845, "1:04:05"), (176_645, "2-01:04:05")],
)
def test_durations_are_written_as_slurm_writes_them(given: int, written: str) -> None:
    assert _duration(given) == written
    assert seconds(written) == given
