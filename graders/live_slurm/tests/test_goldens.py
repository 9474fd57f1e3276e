"""Reference scripts on drawn clusters come out where they belong, every time, and the cluster is quick."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graders.live_slurm.goldens import GOLDENS, expert
from graders.live_slurm.tests.clusters import PACK, backend, docker, played, score
from graders.troubleshooting.calibration import stated
from sandbox import Backend
from scenarios.live_slurm.scene import LEVELS, draw
from scenarios.packs import load_pack

__all__ = ["backend", "docker"]

BOUNDS = stated(load_pack(PACK))["bounds"]
SEEDS = (1, 2, 3, 4)


@pytest.mark.nightly
@pytest.mark.parametrize("golden", GOLDENS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_golden_comes_out_where_it_belongs(
    level: str, seed: int, golden: str, backend: Backend
) -> None:
    scene = draw(level, seed)
    seen, measures = played(backend, scene, golden)
    least, most = BOUNDS[golden]["score"]
    found = score(measures)
    assert least <= found <= most, (found, measures, seen.printed, seen.after, seen.refused)


@pytest.mark.nightly
def test_same_commands_give_the_same_measures_thirty_times(backend: Backend) -> None:
    scene = draw("senior", 7)
    found = [[one.value for one in played(backend, scene, "competent")[1]] for _ in range(30)]
    assert all(one == found[0] for one in found), found


@pytest.mark.nightly
@pytest.mark.docker
@pytest.mark.parametrize("golden", ["nothing", "expert"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_container_holds_a_cluster_as_well(level: str, golden: str, docker: Backend) -> None:
    _, measures = played(docker, draw(level, 2), golden)
    least, most = BOUNDS[golden]["score"]
    assert least <= score(measures) <= most


@pytest.mark.nightly
def test_grade_of_a_script_on_the_command_line(tmp_path: Path, backend: Backend) -> None:
    """A script that does some of it, with a wait in it: what was typed and changed is evidence."""
    script = tmp_path / "mine.sh"
    lines = expert(draw("junior", 5)).splitlines()
    script.write_text("\n".join(["#sleep 1", "cd /", *lines, "exit 7", ""]))
    words = ["grade", PACK, "--level", "junior", "--seed", "5", "--answer", str(script), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "graders", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["status"] == "done"
    assert report["score"] >= 0.95
    assert [one["key"] for one in report["measures"]] == ["start", "stay", "unharmed", "works"]
    rows = {row["kind"]: row for row in report["evidence"]}
    assert rows["commands"]["exit"] == 7
    assert rows["commands"]["rows"][1]["line"] == "cd /"
    assert rows["commands"]["rows"][1]["at"] >= 1.0
    assert report["versions"]["image"].startswith("slurm@sha256:")
