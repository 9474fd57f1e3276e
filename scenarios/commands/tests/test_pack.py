from __future__ import annotations

import json
from pathlib import Path

import pytest

from scenarios.__main__ import main

NODES = "tie_name,sn,cpu_milli,memory_mib,gpu,model\nb,x,64000,1000,2,G\na,y,64000,1000,2,G\n"
ARRIVALS = """seq,pod,cpu_milli,memory_mib,num_gpu,gpu_milli
0,p0,1000,10,1,500
1,p1,1000,10,2,1000
2,p2,1000,10,1,600
3,p3,1000,10,2,1000
"""


def arguments(tmp_path: Path, arrivals: str = ARRIVALS, nodes: str = NODES) -> list[str]:
    (tmp_path / "nodes.csv").write_text(nodes, encoding="utf-8")
    (tmp_path / "arrivals.csv").write_text(arrivals, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("nodes.csv", "arrivals.csv")]
    return ["pack", *files, "--placements", str(tmp_path / "placed.csv"), "--policy"]


@pytest.mark.parametrize("policy", ["bestfit", "gpupacking", "gpuclustering", "fgd"])
def test_pack_writes_placements_and_a_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], policy: str
) -> None:
    assert main([*arguments(tmp_path), policy, "--json"]) == 0
    text = (tmp_path / "placed.csv").read_text(encoding="utf-8")
    assert text == "seq,pod,node\n0,p0,b\n1,p1,a\n2,p2,b\n3,p3,\n"
    summary = json.loads(capsys.readouterr().out)
    assert summary["placed"] == 3
    assert summary["refused"] == 1
    assert (summary["allocated_gpu_milli"], summary["total_gpu_milli"]) == (3100, 4000)
    assert summary["curve"][-1] == {"arrived_percent": 128, "allocated_percent": 77.5}


def test_pack_speaks_in_words_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments(tmp_path), "fgd", "--typical", str(tmp_path / "arrivals.csv")]) == 0
    assert "allocated_percent    77.5\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arrivals", "extra", "said"),
    [
        (ARRIVALS + "4,p4,1000,10,x,0\n", ["bestfit"], "arrivals.csv, line 6: num_gpu must be"),
        (ARRIVALS, ["fgd", "--typical", "absent.csv"], "absent.csv cannot be read"),
        (ARRIVALS.replace("pod,", ""), ["fgd"], "line 1: the column pod is missing"),
    ],
)
def test_bad_input_is_one_line_exit_2_and_no_file(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arrivals: str,
    extra: list[str],
    said: str,
) -> None:
    assert main([*arguments(tmp_path, arrivals), *extra]) == 2
    streams = capsys.readouterr()
    assert said in streams.err
    assert streams.err.count("\n") == 1
    assert not (tmp_path / "placed.csv").exists()


def test_nothing_arriving_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = ARRIVALS.splitlines()[0] + "\n"
    assert main([*arguments(tmp_path, header), "fgd", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["arrivals"], summary["placed"], summary["curve"]) == (0, 0, [])
