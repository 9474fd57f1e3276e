"""Evidence is shaped for reading without inventing anything, and survives odd reports."""

from __future__ import annotations

import pytest

from reviews.evidence import automation
from reviews.tests.scene import REPORT


def test_workloads_tell_what_happened_and_no_score() -> None:
    (day,) = automation.workloads(REPORT)
    assert (day.name, day.title) == ("hidden-1", "A day with a burst")
    assert day.status == "stopped with an error"
    assert day.has_chart
    assert "0.4321" not in str(day)


def test_timeline_has_labels_and_groups() -> None:
    data = automation.timeline(REPORT, 0)
    assert data is not None
    assert [(row["key"], row["group"]) for row in data["series"]] == [
        ("queue_high", "queue"),
        ("cost", "cost"),
    ]
    assert data["marks"][0]["text"] == "A call timed out."


@pytest.mark.parametrize("position", [-1, 1, 99])
def test_unknown_workload_has_no_timeline(position: int) -> None:
    assert automation.timeline(REPORT, position) is None


@pytest.mark.parametrize("report", [None, {}, {"measures": None, "evidence": None}])
def test_a_report_without_anything_shows_nothing(report: dict[str, object] | None) -> None:
    assert automation.workloads(report) == []
    assert automation.measures(report) == []
    assert automation.measure_changes(report, report) == []


@pytest.mark.parametrize(("score", "percent"), [(-0.4, 0), (0.5, 50), (1.7, 100), (None, 0)])
def test_bar_is_clipped_while_the_score_is_not(score: float | None, percent: int) -> None:
    report = {"measures": [{"key": "cost", "score": score}]}
    (row,) = automation.measures(report)
    assert (row.score, row.percent) == (score, percent)


def test_change_needs_both_rounds() -> None:
    first = {"measures": [{"key": "a", "score": 0.2}, {"key": "b", "score": 0.5}]}
    second = {"measures": [{"key": "a", "score": 0.7}, {"key": "c", "score": 1.0}]}
    rows = {row.label: row for row in automation.measure_changes(first, second)}
    assert rows["a"].difference == pytest.approx(0.5)
    assert rows["b"].difference is None
    assert rows["c"].first is None


def test_evidence_about_the_code_is_found_beside_the_workloads() -> None:
    looked = {"kind": "code", "files": [], "lints": [], "lint_count": 0, "problem": ""}
    report = REPORT | {"evidence": [*REPORT["evidence"], looked]}
    assert automation.code(report) == looked
    assert automation.own_tests(report) is None
    assert len(automation.workloads(report)) == 1


def test_revisions_workloads_are_said_to_be_others_where_they_are() -> None:
    again = {"evidence": [{"kind": "workload", "name": "hidden-2-1"}]}
    assert "of its own" in automation.drawn_anew(REPORT, again)
    assert automation.drawn_anew(REPORT, REPORT) == automation.drawn_anew(REPORT, None) == ""
