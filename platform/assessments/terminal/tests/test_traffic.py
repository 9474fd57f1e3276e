"""The judge's end of a terminal: what is refused, what is bounded, and metrics as CSV."""

from __future__ import annotations

import base64
import csv
import io
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.terminal import traffic as module
from assessments.terminal.cluster import Cluster, Reply
from assessments.terminal.tests.terminal_play import SmallConsole, small_cluster
from assessments.terminal.traffic import BURST, RATE, Flow, Traffic
from sandbox import CallRefused

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
METHODS = ("output", "report", "command", "more", "host", "files", "ended", "score", "__class__")


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return small_cluster(tmp_path)


@pytest.fixture
def line(cluster: Cluster) -> Iterator[Traffic]:
    traffic = Traffic(lambda: cluster, threading.Event())
    yield traffic
    traffic.close()


def asked(judge: Traffic, method: str, **params: object) -> Any:
    return judge.call(method, params)


@given(
    st.sampled_from(METHODS),
    st.dictionaries(
        st.sampled_from(["data", "host", "argv", "stdin", "number", "paths", "line", "code", "ms"]),
        JSON,
    ),
)
@pytest.mark.nightly
def test_rubbish_is_answered_or_refused(method: str, params: dict[str, object]) -> None:
    no_cluster = Cluster(SmallConsole(), "", "a", ("a",), "UTC", 0, Path("/-"), Path("/-"))
    traffic = Traffic(lambda: no_cluster, threading.Event())
    with suppress(CallRefused):
        traffic.call(method, params)
    traffic.close()


def test_long_answers_come_in_parts(line: Traffic) -> None:
    answer = asked(line, "command", host="login01", argv=["journalctl"], stdin="")
    whole, rounds = base64.b64decode(answer["out"]), 1
    while answer["more"]:
        answer = asked(line, "more", number=answer["more"])
        whole, rounds = whole + base64.b64decode(answer["out"]), rounds + 1
    assert (whole.count(b"\n"), rounds) == (40_000, 9)
    with pytest.raises(CallRefused):
        asked(line, "more", number=1)


def test_files_are_those_asked_for(line: Traffic) -> None:
    for paths, found in (
        (["/var/log/syslog"], True),
        (["/var/*/sys*"], True),
        (["/"], True),
        (["/var/log/sys"], False),
        (["../etc"], False),
    ):
        answer = asked(line, "files", host="gpu-n003", paths=paths)
        assert bool(answer["files"]) == found, paths
    assert asked(line, "files", host="nowhere", paths=["/"])["files"] == {}


def test_number_of_commands_is_bounded(line: Traffic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COMMANDS", 3)
    for _ in range(5):
        asked(line, "report", host="login01", line="x" * 9000, code=0, ms=1)
    assert [len(one.line) for one in line.ran()] == [module.LONGEST_LINE] * 3
    with pytest.raises(CallRefused, match="restart"):
        asked(line, "command", host="login01", argv=["squeue"], stdin="")


def test_a_fault_of_the_console_is_said_and_recorded(
    line: Traffic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: SmallConsole, host: str, argv: list[str], stdin: str = "") -> Reply:
        raise KeyError("gpu")

    monkeypatch.setattr(SmallConsole, "run", broken)
    answer = asked(line, "command", host="login01", argv=["squeue"], stdin="")
    assert b"not your fault" in base64.b64decode(answer["err"])
    assert [one.code for one in line.ran()] == [1]


def test_flow_lets_bursts_through_and_holds_the_rest_to_its_rate() -> None:
    now = [0.0]
    flow = Flow(lambda: now[0])
    assert flow.take(BURST) == 0.0
    assert flow.take(RATE) == 1.0
    now[0] += 2.0
    assert flow.take(0) == 0.0
    with pytest.raises(OverflowError):
        flow.take(3 << 20)


def export(cluster: Cluster, *words: str) -> list[dict[str, str]]:
    answer = cluster.run("login01", ["metric-export", *words])
    assert answer.code == 0, answer.stderr
    return list(csv.DictReader(io.StringIO(answer.stdout)))


def test_metrics_as_csv(cluster: Cluster) -> None:
    rows = export(cluster, "node_load1", "--host", "gpu-n003")
    assert len(rows) == 58  # an hour, less the gap of two minutes
    assert rows[0] == {
        "time": "2026-09-15T15:32:00+02:00",
        "host": "gpu-n003",
        "instance": "a",
        "value": "100",
    }
    assert len(export(cluster, "node_load1", "--from", "-10m")) == 20
    means = export(cluster, "node_load1", "--host", "login01", "--every", "600")
    assert [float(row["value"]) for row in means] == [4.25, 14.5, 24.5, 34.5, 44.5, 54.5]
    assert len(export(cluster, "node_load1", "--from", "16:00", "--to", "2026-09-15 16:05")) == 12
    names = cluster.run("login01", ["metric-export"]).stdout
    assert names == "node_load1  Load over a minute.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["node_lod1"], "no metric 'node_lod1'"),
        (["node_load1", "--host", "x"], "no series"),
        (["node_load1", "--from", "soon"], "is not a time"),
        (["node_load1", "--from", "16:30", "--to", "16:00"], "after --from"),
        (["node_load1", "--every", "0"], "--every takes seconds"),
        (["node_load1", "--label", "gpu"], "KEY=VALUE"),
        (["node_load1", "--fast"], "usage"),
    ],
)
def test_what_metric_export_cannot_do(cluster: Cluster, words: list[str], sentence: str) -> None:
    answer = cluster.run("login01", ["metric-export", *words])
    assert (answer.code, answer.stdout) == (2, "")
    assert sentence in answer.stderr
