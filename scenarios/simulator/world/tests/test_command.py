"""A [world] in the cluster file of `simulate`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scenarios.__main__ import main

WORLD = """
[world]
gpus_per_node = 4
[[world.pools]]
name = "owned"
nodes = 1
price = 12
[[world.pools]]
name = "spot"
most = 2
spot = "aws"
reclaim_hours = 1
[world.autoscaler]
[world.checkpoint]
every_s = 300
"""
JOBS = "job_id,submit,run_time,estimate,procs\n1,0,9000,9000,4\n2,5,9000,9000,8\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "world.toml").write_text(WORLD)
    return [
        str(tmp_path / "jobs.csv"),
        "--policy",
        "easy",
        "--cluster",
        str(tmp_path / "world.toml"),
    ]


def test_world_of_a_cluster_file_is_simulated_the_same_twice(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for name in ("a", "b"):
        assert main(["simulate", *files, "--record", str(tmp_path / name), "--json"]) == 0
        figures = json.loads(capsys.readouterr().out)
        answers.append({key: figures[key] for key in figures if key not in ("cpu_s", "jobs_per_s")})
    assert answers[0] == answers[1]
    assert answers[0]["finished"] == 2
    assert answers[0]["cost_usd"] > 30
    for file in ("jobs.csv", "events.csv", "series.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    events = list(csv.DictReader((tmp_path / "a" / "events.csv").open()))
    assert {"time": "10", "event": "asked", "subject": "spot-0"} in events


def test_world_and_another_machine_exclude_each_other(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", *files, "--processors", "9"]) == 2
    assert "[world]" in capsys.readouterr().err
    assert main(["simulate", *files, "--event-order", "one-by-one"]) == 2
    assert "batch" in capsys.readouterr().err


def test_record_without_a_world_is_refused(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*files[:3], "--processors", "8", "--record", str(tmp_path / "out")]
    assert main(["simulate", *arguments]) == 2
    assert "[world]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
