from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main
from scenarios.simulator.tests.shared import shared

HEADER = "job_id,submit,run_time,estimate,procs\n"
ROWS = "2,3,10,10,4\n1,0,10,20,4\n3,4,5,5,2\n"


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "jobs.csv"
    path.write_text(HEADER + ROWS)
    return str(path)


def test_simulate_writes_starts_and_prints_one_object(
    trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts = tmp_path / "starts.csv"
    arguments = ["--policy", "srtf", "--processors", "4", "--starts", str(starts), "--json"]
    assert main(["simulate", trace, *arguments]) == 0
    assert starts.read_bytes() == (
        b"job_id,submit,start,end,procs,preemptions\n1,0,0,15,4,1\n2,3,15,25,4,0\n3,4,4,9,2,0\n"
    )
    said = capsys.readouterr()
    figures = json.loads(said.out)
    assert figures.keys() >= {
        "jobs",
        "mean_wait",
        "mean_bounded_slowdown",
        "makespan",
        "utilisation",
        "cpu_s",
        "jobs_per_s",
    }
    assert (figures["jobs"], figures["makespan"], figures["preemptions"]) == (3, 25, 1)
    assert said.err == ""


@pytest.mark.parametrize(
    "policy", ["fcfs", "easy", "easy-sjbf", "conservative", "sjf", "srtf", "srgf", "las"]
)
def test_every_policy_runs_on_nodes(
    policy: str, trace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = ["--nodes", "2", "--gpus-per-node", "2", "--event-order", "one-by-one"]
    assert main(["simulate", trace, "--policy", policy, *machine, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["finished"] == 3


def test_cluster_file_describes_the_machine(
    trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = tmp_path / "cluster.toml"
    cluster.write_text("[cluster]\nnodes = 2\ngpus_per_node = 2\n")
    arguments = ["simulate", trace, "--policy", "fcfs"]
    assert main([*arguments, "--cluster", str(cluster)]) == 0
    by_file = capsys.readouterr().out.splitlines()[:8]
    assert main([*arguments, "--nodes", "2", "--gpus-per-node", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[:8] == by_file


def test_time_unit_scales_the_floor_of_slowdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(HEADER + "1,0,20000,20000,1\n2,0,20000,20000,1\n")
    slowdowns = []
    for unit in ("s", "ms"):
        machine = ["--processors", "1", "--time-unit", unit, "--json"]
        assert main(["simulate", str(path), "--policy", "fcfs", *machine]) == 0
        slowdowns.append(json.loads(capsys.readouterr().out)["mean_bounded_slowdown"])
    assert slowdowns == [1.5, 1.5]


def test_trace_header_gives_the_size_where_nothing_else_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace = str(shared("traces/synthgpu256_2k.swf"))
    assert main(["simulate", trace, "--policy", "fcfs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_wait"] == pytest.approx(25_531.91, abs=0.01)


def test_refused_jobs_are_said_on_stderr(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", trace, "--policy", "easy", "--processors", "3", "--json"]) == 0
    said = capsys.readouterr()
    assert "2 jobs ask for more than the machine has" in said.err
    assert json.loads(said.out)["refused"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{trace}"], "Say how large the machine is"),
        (["{trace}", "--nodes", "4"], "Say how large the machine is"),
        (["{trace}", "--processors", "4", "--nodes", "4"], "Say how large the machine is"),
        (["{trace}", "--processors", "0"], "processors is 0"),
        (["{trace}", "--processors", "4", "--cluster", "{key}"], "Give --cluster, or"),
        (["{trace}", "--cluster", "{bad}"], "is not TOML"),
        (["{trace}", "--cluster", "{odd}"], "no place for colour"),
        (["{trace}", "--cluster", "{key}"], "has no key gpus"),
        (["{trace}", "--cluster", "absent.toml"], "absent.toml cannot be read"),
        (["absent.swf", "--processors", "4"], "absent.swf cannot be read"),
        (["{broken}", "--processors", "4"], "line 3: run_time 'x'"),
        (
            ["{trace}", "--processors", "4", "--starts", "/absent/x.csv"],
            "Cannot write /absent/x.csv",
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    arguments: list[str],
    said: str,
    trace: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = {
        "bad": "processors = =",
        "odd": "colour = 1",
        "key": "[cluster]\ngpus = 4\n",
        "broken": HEADER + "1,0,5,5,1\n2,0,x,5,1\n",
    }
    places = {"trace": trace}
    for name, text in texts.items():
        path = tmp_path / f"{name}.{'csv' if name == 'broken' else 'toml'}"
        path.write_text(text)
        places[name] = str(path)
    filled = [argument.format(**places) for argument in arguments]
    assert main(["simulate", *filled, "--policy", "easy"]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
