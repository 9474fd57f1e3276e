from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main
from scenarios.simulator.tests.shared import shared

TREE = """\
Account|User|RawShares|RawUsage
root|||40
 a||1|40
  a|ann|1|40
  a|abe|1|0
"""

TRACE = """\
job_id,submit,run_time,estimate,procs,partition
1,0,1000,1000,8,low
2,400,300,300,8,high
"""

CLUSTER = """\
[cluster]
nodes = 1
gpus_per_node = 8
[slurm]
preempt = "partition"
partitions = {low = {tier = 1}, high = {tier = 2}}
"""


def test_fairshare_answers_rows_in_the_order_of_the_tree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree.psv"
    tree.write_text(TREE)
    assert main(["fairshare", str(tree), "--algorithm", "fair-tree", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["rows"]
    assert [row["User"] or row["Account"] for row in answer["rows"]] == ["root", "a", "ann", "abe"]
    assert answer["rows"][2] == {
        "Account": "a",
        "User": "ann",
        "NormShares": 0.5,
        "NormUsage": 1.0,
        "EffectvUsage": 1.0,
        "FairShare": 0.5,
        "LevelFS": 0.5,
    }
    assert (answer["rows"][3]["FairShare"], answer["rows"][3]["LevelFS"]) == (1.0, "inf")


def test_fairshare_prints_a_sheet_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree.psv"
    tree.write_text(TREE)
    assert main(["fairshare", str(tree), "--algorithm", "classic"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Account|User|NormShares|NormUsage|EffectvUsage|FairShare|LevelFS"
    assert lines[3] == "a|ann|0.500000|1.000000|1.000000|0.250000|0.000000"


def test_fairshare_refuses_a_malformed_tree_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree.psv"
    tree.write_text(TREE.replace("|40\n  a|abe", "|x\n  a|abe"))
    assert main(["fairshare", str(tree), "--algorithm", "classic", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{tree}, line 4: RawUsage is 'x'; it should be a number of 0 or more.\n"
    assert main(["fairshare", str(tmp_path / "none"), "--algorithm", "classic"]) == 2
    assert capsys.readouterr().err.endswith("none cannot be read: No such file or directory.\n")


def test_simulate_reads_the_slurm_table_of_a_cluster_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, cluster, starts = (tmp_path / name for name in ("t.csv", "c.toml", "s.csv"))
    trace.write_text(TRACE)
    cluster.write_text(CLUSTER)
    arguments = [str(trace), "--policy", "slurm", "--cluster", str(cluster)]
    assert main(["simulate", *arguments, "--starts", str(starts), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == 2
    assert starts.read_text().splitlines()[1:] == ["1,0,0,1700,8,1", "2,400,400,700,8,0"]


def test_simulate_refuses_a_wrong_slurm_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, cluster = tmp_path / "t.csv", tmp_path / "c.toml"
    trace.write_text(TRACE)
    cluster.write_text(CLUSTER + "speed = 3\n")
    arguments = [str(trace), "--policy", "slurm", "--cluster", str(cluster)]
    assert main(["simulate", *arguments]) == 2
    assert capsys.readouterr().err.startswith("slurm has no entry speed;")


def test_stepwise_answers_how_many_starts_were_predicted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = shared("reference/slurm/bf_default_8n.csv")
    trace = tmp_path / "trace.csv"
    rows = [line.split(",") for line in record.read_text().splitlines()[1:]]
    lines = [f"{r[0]},{r[1]},{int(r[3]) - int(r[2])},{r[5]},{r[4]}" for r in rows]
    trace.write_text("\n".join(["job_id,submit,run_time,estimate,procs", *lines]) + "\n")
    arguments = ["simulate", str(trace), "--policy", "slurm", "--nodes", "8"]
    assert main([*arguments, "--stepwise", str(record), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer == {"predicted": 120, "same_nodes": 120, "of": 120}


def test_stepwise_is_for_slurm_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text(TRACE)
    assert main(["simulate", str(trace), "--policy", "fcfs", "--stepwise", str(trace)]) == 2
    assert capsys.readouterr().err.startswith("--stepwise holds --policy slurm to a record")
