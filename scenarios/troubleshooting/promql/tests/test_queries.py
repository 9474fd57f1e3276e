"""What a query may ask, how it is refused, and that nobody can make it run for long."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from scenarios.troubleshooting.columns import Columns
from scenarios.troubleshooting.promql import engine as engines
from scenarios.troubleshooting.promql.blocks import Blocks
from scenarios.troubleshooting.promql.calls import known
from scenarios.troubleshooting.promql.engine import Engine
from scenarios.troubleshooting.promql.errors import QueryError
from scenarios.troubleshooting.promql.reading import read, selected
from scenarios.troubleshooting.promql.regex import Pattern
from scenarios.troubleshooting.promql.tests.small import END, MINUTE, START, small_file
from scenarios.troubleshooting.promql.vectors import Vector


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> Columns:
    return small_file(tmp_path_factory.mktemp("small") / "small.hncol")


@pytest.fixture
def engine(columns: Columns) -> Engine:
    return Engine(columns)


def vector(engine: Engine, text: str, at: int = END - MINUTE) -> Vector:
    found = engine.instant(text, at)
    assert isinstance(found, Vector)
    return found


@pytest.mark.parametrize(
    ("text", "said", "position"),
    [
        ("", "Write a query", None),
        ("sum(", "Unclosed left parenthesis", 4),
        ("gpu_temp{gpu=}", "“}” cannot stand here", 13),
        ("gpu_temp node_load1", "“node_load1” cannot stand here", 9),
        ("1 +", "ends too early", 3),
        ("nope(gpu_temp)", "Unknown function", 0),
        ("rate(gpu_temp)", "Expected type matrix", 0),
        ('gpu_temp{gpu=~"("}', "Illegal regex", 14),
        ("gpu_temp[5m]", "put rate(…)", None),
        ("mad_over_time(gpu_temp[5m])", "mad_over_time() is not available", None),
        ('count_values("a b", gpu_temp)', "no name for a label", None),
        ("holt_winters(gpu_temp[5m], 1.5, 0.5)", "smoothing factor has to lie", None),
        ('gpu_temp{gpu="1" or gpu="2"}', "joined with “or”", None),
        ("gpu_temp + on (gpu) gpu_temp", "Several series on the right", None),
        ("gpu_temp * on (Hostname) group_left gpu_temp", "Several series on the right", None),
        ('label_replace(gpu_temp, "gpu", "", "gpu", ".*")', "the same labels", None),
        ('label_replace(gpu_temp, "a b", "", "gpu", ".*")', "no name for a label", None),
        ("(" * 60 + "gpu_temp" + ")" * 60, "at most 40 deep", 40),
        ("gpu_temp" + " " * 2000, "at most 2,000 characters", None),
    ],
)
def test_a_query_that_cannot_be_answered_says_why(
    text: str, said: str, position: int | None, engine: Engine
) -> None:
    with pytest.raises(QueryError) as caught:
        engine.over(text, START, END, 60_000)
    assert said in caught.value.message
    assert caught.value.message.endswith(".")
    assert caught.value.position == position


def test_a_metric_that_does_not_exist_has_no_series(engine: Engine) -> None:
    assert vector(engine, "no_such_metric").labels == []


def test_too_many_instants_are_refused(engine: Engine) -> None:
    with pytest.raises(QueryError, match="choose a longer step"):
        engine.over("gpu_temp", START, END, 10)
    with pytest.raises(QueryError, match="The subquery has more than"):
        engine.over("max_over_time(gpu_temp[2h:10ms])", START, END, 60_000)


def test_too_much_work_is_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "MOST_WORK", 10_000)
    with pytest.raises(QueryError, match="takes too long"):
        engine.over("stddev_over_time(gpu_temp[1h])", START, END, 60_000)
    monkeypatch.setattr(engines, "MOST_CELLS", 100)
    with pytest.raises(QueryError, match="more than can be held"):
        engine.over("gpu_temp", START, END, 60_000)


def test_time_that_is_up_ends_a_query(columns: Columns) -> None:
    with pytest.raises(QueryError, match="takes too long"):
        Engine(columns, seconds=-1).over("gpu_temp", START, END, 60_000)


def test_a_series_ends_with_the_job_and_with_a_failed_scrape(engine: Engine) -> None:
    gone = START + 20 * MINUTE + 7_000
    names = {one.get("hpc_job", "") for one in vector(engine, 'gpu_temp{gpu="0"}', gone - 1).labels}
    assert names == {"101", ""}
    later = vector(engine, 'gpu_temp{Hostname="gpu-n001",gpu="0"}', gone + MINUTE)
    assert [one.get("hpc_job", "") for one in later.labels] == [""]
    # Samples 100 to 130 of the second node are missing: nothing stands in for them.
    inside = START + 110 * 15_000
    assert vector(engine, 'gpu_temp{Hostname="gpu-n002"}', inside).labels == []


def test_selectors_are_told_with_the_labels_that_must_be_equal() -> None:
    found = selected(read('rate(a{x="1",y=~"2"}[5m]) / on(x) sum(b{z="3"}) by (x)'))
    assert [(one.metric, one.labels) for one in found] == [("a", {"x": "1"}), ("b", {"z": "3"})]


@pytest.mark.parametrize(
    ("pattern", "value", "groups"),
    [
        ("gpu-n00[1-3]", "gpu-n002", ["gpu-n002"]),
        ("gpu-n00[1-3]", "gpu-n004", None),
        ("(.*):(\\d+)", "host:9100", ["host:9100", "host", "9100"]),
        ("(a*?)(a*)", "aaa", ["aaa", "", "aaa"]),
        ("(?:ab){2,3}", "abababab", None),
        ("(?:ab){2,3}", "ababab", ["ababab"]),
        ("[^a-c\\s]+|", "", [""]),
        ("a|(b)", "a", ["a", ""]),
    ],
)
def test_patterns_match_whole_values(pattern: str, value: str, groups: list[str] | None) -> None:
    assert Pattern(pattern).groups(value) == groups


@pytest.mark.parametrize(
    "pattern", ["(", "a)", "[a", "*a", "a{3,2}", "\\q", "(?=a)", "(a{99}){99}"]
)
def test_patterns_that_cannot_be_read_are_refused(pattern: str) -> None:
    with pytest.raises(QueryError, match="cannot be read"):
        Pattern(pattern)


def test_no_pattern_takes_long() -> None:
    began = time.monotonic()
    assert not Pattern("(a+)+b").matches("a" * 200)
    assert not Pattern("(a|a)" * 60).matches("a" * 59 + "b")
    assert time.monotonic() - began < 2  # Python's own would take longer than anybody lives


def test_blocks_keep_within_their_bytes(columns: Columns) -> None:
    blocks = Blocks(keep_bytes=40_000)
    for name in columns.metrics:
        series = columns.series[name]
        times, values = blocks.values(columns, series, START + 90_000, END - 90_000)
        wanted = columns.window(series, START + 90_000, END - 90_000)
        assert np.array_equal(times, wanted[0])
        assert np.array_equal(values, wanted[1], equal_nan=True)
    assert blocks._bytes <= 40_000


def test_every_function_of_the_readme_is_there() -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text()
    missing = [name for name in known() if f"`{name}`" not in text]
    assert missing == []
