"""What counts as the same grading, with and without a clock in it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from assessments.reproduction import compare
from graders.gpu.tolerance import SCORE, SPEED_UP, tolerance


def report(**measure: float) -> dict[str, Any]:
    found = {"key": "samples_per_s", "value": 40.0, "naive": 10.0, "reference": 80.0, "score": 0.43}
    return {
        "status": "done",
        "score": 0.43,
        "detail": "Measured on 5 hidden trainings.",
        "measures": [found | measure],
        "evidence": [
            {"kind": "workload", "name": "hidden-1", "matches": True, "seconds": {"answer": 0.5}},
            tolerance(["samples_per_s"]),
        ],
    }


def test_faster_machine_changes_nothing() -> None:
    assert compare(report(), report(value=400.0, naive=100.0, reference=800.0)) == []


@pytest.mark.parametrize(("share", "same"), [(0.95, True), (1.05, False)])
def test_speed_up_may_differ_as_far_as_stated(share: float, same: bool) -> None:
    slower = report(value=40.0 * (1 - share * SPEED_UP))
    assert (compare(report(), slower) == []) is same
    assert (compare(slower, report()) == []) is same


@pytest.mark.parametrize(("share", "same"), [(0.95, True), (1.05, False)])
def test_score_may_differ_as_far_as_stated(share: float, same: bool) -> None:
    found = compare(report(), report(score=0.43 + share * SCORE))
    assert (found == []) is same


def test_scores_beyond_the_scale_are_the_same() -> None:
    assert compare(report(score=1.2), report(score=1.9)) == []


def test_measured_times_and_texts_are_not_compared() -> None:
    other = deepcopy(report())
    other["evidence"][0]["seconds"] = {"answer": 0.7}
    other["detail"] = "Measured elsewhere."
    assert compare(report(), other) == []


def test_training_that_no_longer_matches_is_told() -> None:
    other = deepcopy(report())
    other["evidence"][0]["matches"] = False
    assert compare(report(), other) == ["report.evidence[0].matches: True -> False"]


def test_report_without_a_clock_is_compared_exactly() -> None:
    plain, other = report(), report(value=40.0001)
    for one in (plain, other):
        one["evidence"].pop()
    assert compare(plain, plain) == []
    assert compare(plain, other) == ["report.measures[0].value: 40.0 -> 40.0001"]


def test_measure_that_is_missing_is_told() -> None:
    other = report()
    other["measures"] = []
    assert compare(report(), other) == ["report.measures: [{'key': 'samples_per_s'}] -> []"]
