from __future__ import annotations

from typing import Any

import pytest

from graders.troubleshooting.answer import Pin
from graders.troubleshooting.pins import Judged, judge
from graders.troubleshooting.tests.boards import (
    answer,
    assessed,
    card,
    node_of,
    reading,
    row,
    truth,
)

KEY = "ib-link-flapping"


def line_of(key: str, part: str = "") -> dict[str, Any]:
    """A pin on the first telling line of a cause or herring, in a file whose path holds `part`."""
    found = truth().causes.get(key) or truth().herrings[key]
    lines = next(one for one in found.lines if part in one.path)
    return {"kind": "log", "path": lines.path, "line": lines.spans[0][0], "text": lines.first}


def judged(**pin: Any) -> Judged:
    return judge(Pin(**pin), truth())


@pytest.mark.nightly
def test_a_line_shows_the_cause_whose_it_is_and_so_do_its_neighbours() -> None:
    pin = line_of(KEY, "ibqueryerrors")
    assert KEY in judged(**pin).shows
    assert KEY in judged(**{**pin, "line": pin["line"] + 1, "text": ""}).shows
    assert judged(kind="log", path="people/changes.txt", line=1).shows == ()


@pytest.mark.parametrize(
    ("pin", "finding"),
    [
        ({"path": "logs/nowhere/journal.log", "line": 1}, "There is no such file"),
        ({"path": "people/chat.txt", "line": 10**6}, "The file has"),
        (
            {"path": "people/chat.txt", "line": 1, "text": "something quite different"},
            "reads otherwise",
        ),
    ],
)
def test_a_line_that_is_not_there_is_said(pin: dict[str, Any], finding: str) -> None:
    found = judged(kind="log", **pin)
    assert finding in found.finding
    assert (found.shows, found.about) == ((), ())


def test_a_chart_shows_by_metric_series_and_time() -> None:
    chart = truth().causes[KEY].charts[0]
    whole = {
        "kind": "chart",
        "metric": chart.metric,
        "from_ms": chart.from_ms,
        "to_ms": chart.to_ms,
    }
    assert KEY in judged(**whole, labels=dict(chart.labels)).shows
    assert KEY in judged(**whole).shows
    other = judged(**whole, labels={**chart.labels, "port": "39"})
    assert "none of the series" in other.finding
    early = {**whole, "from_ms": chart.from_ms - 9_000_000, "to_ms": chart.from_ms - 60_000}
    assert "at that time" in judged(**early).finding
    assert judged(kind="chart", metric="node_load1", to_ms=9e14).shows == ()


def test_a_host_goes_by_each_exporters_own_label() -> None:
    node = node_of("silent-slow-node")
    chart = next(one for one in truth().causes["silent-slow-node"].charts if "node" in one.labels)
    span = {"from_ms": chart.from_ms, "to_ms": chart.to_ms}
    for labels in ({"Hostname": node}, {"instance": f"{node}:9400", "gpu": "3"}):
        found = judged(kind="chart", metric=chart.metric, labels=labels, **span)
        assert "silent-slow-node" in found.shows
    elsewhere = min(truth().machines["node"] - {node})
    found = judged(kind="chart", metric=chart.metric, labels={"Hostname": elsewhere}, **span)
    assert "silent-slow-node" not in found.shows
    ranks = truth().causes["silent-slow-node"].charts[0]
    inside = judged(kind="chart", metric=ranks.metric, labels={"rank": "17"}, **span)
    outside = judged(kind="chart", metric=ranks.metric, labels={"rank": "3"}, **span)
    assert "silent-slow-node" in inside.shows
    assert "silent-slow-node" not in outside.shows


def test_a_commands_output_shows_a_cause_where_the_cause_is() -> None:
    line = line_of(KEY, "dmesg")
    node = line["path"].split("/")[1]
    found = judged(kind="command", command="dmesg -T", host=node, text=f"a\n{line['text']}\nb")
    assert KEY in found.shows
    other = min(truth().machines["node"] - {node})
    assert KEY not in judged(kind="command", command="dmesg -T", host=other, text="Link down").shows
    assert "in this output" in judged(kind="command", command="ls", host=other, text="a").finding


def test_a_claim_whose_pin_shows_something_else_is_a_finding_with_path_and_line() -> None:
    wrong = line_of("login-node-patch", "people")
    nothing = {"kind": "log", "path": "people/chat.txt", "line": 1}
    right = line_of(KEY, "ibqueryerrors")
    claim = f"The cable at {truth().causes[KEY].places[0]} is bad, symbol errors and link downs"
    found = assessed(answer([card(claim, pins=[wrong, nothing, right])]))
    pins = [one for one in found.evidence if one["kind"] == "pin"]
    assert [(one["path"], one["line"]) for one in pins] == [
        (wrong["path"], wrong["line"]),
        ("people/chat.txt", 1),
    ]
    assert "security update of login nodes" in pins[0]["finding"]
    verdicts = [one["verdict"] for one in row(found, "cause", KEY)["pins"]]
    assert sorted(verdicts) == ["shows", "wrong", "wrong"]
    value = next(one.value for one in found.measures if one.measure.key == "evidence")
    assert value == pytest.approx(100 / 3 / len(truth().causes), abs=0.1)


def test_lines_metrics_and_quotes_in_prose_are_evidence_too() -> None:
    line = line_of(KEY, "opensm")
    claim = f"The cable at {truth().causes[KEY].places[0]} is bad, with symbol errors"
    chart = truth().causes[KEY].charts[0]
    text = (
        f"{claim}. See {line['path']}:{line['line']} and {chart.metric}. It says `{line['text']}`."
    )
    found = row(assessed(answer(issues=text)), "cause", KEY)
    assert [one["verdict"] for one in found["pins"]] == ["shows"] * 3
    wrong = row(assessed(answer(issues=f"{claim}, see people/chat.txt:1.")), "cause", KEY)
    assert [one["verdict"] for one in wrong["pins"]] == ["wrong"]


def test_the_reading_holds_no_more_of_the_key_than_it_needs() -> None:
    found = reading(answer(issues="Nothing."))
    assert set(found["truth"]) == {"gap_hours", "causes", "herrings"}
    assert all("lines" not in cause for cause in found["truth"]["causes"])
