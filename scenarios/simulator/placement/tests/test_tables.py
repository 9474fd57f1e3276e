from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.simulator.placement.tables import Demand, read_arrivals, read_demands, read_nodes

ARRIVALS = "seq,pod,cpu_milli,memory_mib,num_gpu,gpu_milli\n"


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    return path


def test_columns_are_found_by_name_in_any_order(tmp_path: Path) -> None:
    nodes = read_nodes(file(tmp_path, "gpu,model,tie_name,memory_mib,cpu_milli\n8,X,a,2,1\r\n"))
    assert (nodes.names, nodes.cpu, nodes.memory, nodes.gpus) == (["a"], [1], [2], [8])
    arrivals = read_arrivals(file(tmp_path, ARRIVALS + "5,p,1,2,1,460\n\n"))
    assert (arrivals.seq, arrivals.pods) == ([5], ["p"])
    assert arrivals.demands == [Demand(1, 2, 1, 460)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: the column seq is missing"),
        ("seq,pod,cpu_milli,memory_mib,num_gpu\n", "line 1: the column gpu_milli is missing"),
        (ARRIVALS + "0,p,1,2,0,0\n1,p,1,2,0\n", "line 3: 6 cells are needed, 5 are there"),
        (ARRIVALS + "0,p,-1,2,0,0\n", "line 2: cpu_milli must be a whole number"),
        (ARRIVALS + "0,p,1e3,2,0,0\n", "line 2: cpu_milli must be a whole number"),
        (ARRIVALS + "x,p,1,2,0,0\n", "line 2: seq must be a whole number"),
        (ARRIVALS + "0,p,1,2,0,100\n", "line 2: gpu_milli must be 0 where num_gpu is 0"),
        (ARRIVALS + "0,p,1,2,1,0\n", "line 2: gpu_milli must be 1 to 1000"),
        (ARRIVALS + "0,p,1,2,2,500\n", "line 2: gpu_milli must be 1000 where num_gpu is above 1"),
        (ARRIVALS + '0,"p\n', "line 2"),
    ],
)
def test_a_malformed_line_is_named_by_number(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_arrivals(file(tmp_path, text))


def test_nodes_need_names_of_their_own_and_at_least_one(tmp_path: Path) -> None:
    header = "tie_name,cpu_milli,memory_mib,gpu\n"
    with pytest.raises(ValueError, match="line 3: tie_name must be given and differ"):
        read_nodes(file(tmp_path, header + "a,1,1,1\na,1,1,1\n"))
    with pytest.raises(ValueError, match="line 2: gpu must be a whole number from 0 to 64"):
        read_nodes(file(tmp_path, header + "a,1,1,65\n"))
    with pytest.raises(ValueError, match="names no node"):
        read_nodes(file(tmp_path, header))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_demands(tmp_path / "b.csv")
    with pytest.raises(ValueError, match="cannot be read"):
        read_demands(tmp_path / "absent.csv")
