from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scenarios.simulator.trace import TraceError, read_trace

SWF = "1 17 -1 7540 4 -1 -1 4 75400 -1 1 12 3 -1 2 7 -1 -1"
CSV = "job_id,submit,run_time,estimate,procs"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_swf_fields_are_read(tmp_path: Path) -> None:
    text = (
        f"; MaxProcs: 256\n; Note: x\n\n{SWF}\n2 18 -1 9 8 -1 -1 -1 5 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    )
    workload = read_trace(written(tmp_path, "a.swf", text))
    assert workload.job_id == [1, 2]
    assert workload.submit == [17, 18]
    assert workload.run == [7540, 9]
    assert workload.estimate == [75400, 9]
    assert workload.procs == [4, 8]
    assert workload.user == ["12", ""]
    assert workload.account == ["3", ""]
    assert workload.partition == ["7", ""]
    assert workload.processors == 256


def test_swf_processors_asked_for_come_before_those_used(tmp_path: Path) -> None:
    text = SWF.replace("7540 4 -1 -1 4", "7540 3 -1 -1 4")
    assert read_trace(written(tmp_path, "a.swf", text)).procs == [4]


def test_gzip_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.swf.gz"
    path.write_bytes(gzip.compress(SWF.encode()))
    assert read_trace(path) == read_trace(written(tmp_path, "a.swf", SWF))


def test_records_of_jobs_that_never_ran_are_counted(tmp_path: Path) -> None:
    text = SWF + "\n" + SWF.replace("1 17 -1 7540", "2 17 -1 -1", 1) + "\n"
    workload = read_trace(written(tmp_path, "a.swf", text))
    assert (len(workload), workload.unusable) == (1, 1)


def test_csv_reads_names_and_priority(tmp_path: Path) -> None:
    text = f"{CSV},user,account,partition,qos,priority\n7,0,5,3,2,ada,chem,gpu,high,9\n8,1,5,6,2,,,,,\n"
    workload = read_trace(written(tmp_path, "a.csv", text))
    assert workload.user == ["ada", ""]
    assert workload.qos == ["high", ""]
    assert workload.priority == [9, 0]
    assert workload.estimate == [5, 6]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.swf", f"; head\n{SWF}\n2 3 4\n", "line 3: 3 fields"),
        ("a.swf", SWF.replace("17", "x", 1), "line 1: submit 'x'"),
        ("a.swf", SWF.replace("7540", "1.5", 1), "line 1: run '1.5'"),
        ("a.swf", SWF.replace("17", "-17", 1), "line 1: submit time -17"),
        ("a.swf", f"{SWF}\n{SWF}", "line 2: job 1 is there twice"),
        ("a.swf", SWF.replace("7540", "9" * 30, 1), "out of range"),
        ("a.csv", "job_id,submit\n", "line 1: no column run_time"),
        ("a.csv", f"{CSV},colour\n", "line 1: a column 'colour' too many"),
        ("a.csv", f"{CSV}\n1,0,5,5\n", "line 2: 4 fields"),
        ("a.csv", f"{CSV}\n1,0,5,5,2\n2,0,-5,5,2\n", "line 3: run_time -5 is negative"),
        ("a.csv", f"{CSV}\n1,0,5,5,0\n", "line 2: procs is 0"),
        ("a.csv", "", "line 1: no column job_id"),
        ("a.txt", SWF, "a trace ends in .swf"),
        ("a.swf.gz", SWF, "cannot be read"),
    ],
)
def test_malformed_line_is_named_by_number(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(written(tmp_path, name, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_absent_and_binary_files_are_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be read: No such file"):
        read_trace(tmp_path / "absent.swf")
    (tmp_path / "a.swf").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TraceError, match="is not text"):
        read_trace(tmp_path / "a.swf")
