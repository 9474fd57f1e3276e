from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenarios.profile import DEFAULT, Profile
from scenarios.worlds.burst import WORLD
from scenarios.worlds.burst.setting import Setting, burst_config, read_setting


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
    assert len(lines) == 48
    _, spot, limit, kestrel, plover = lines[0].split(",")
    assert float(limit) == pytest.approx(0.7 * float(spot), abs=1e-4)
    assert 1.5 < float(spot) < 2.5
    assert float(plover) > 4 * float(kestrel)


def test_queue_looks_as_squeue_prints_it() -> None:
    text = WORLD.documents["squeue.txt"](DEFAULT, Setting(), "1")
    head, *lines = text.splitlines()
    assert head.split() == [
        "JOBID", "PARTITION", "NAME", "USER", "ST", "TIME", "NODES", "NODELIST(REASON)",
    ]  # fmt: skip
    pending = [line.split() for line in lines if " PD " in line]
    assert pending[0][-1] == "(Resources)"
    assert {line[-1] for line in pending[1:]} <= {"(Priority)"}
    assert all(line.split()[-1].startswith("gpu-") for line in lines if " R " in line)
    assert text == WORLD.documents["squeue.txt"](DEFAULT, Setting(), "1")
