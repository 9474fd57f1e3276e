"""Rows in words that were not chosen for the program: filters, open readings, figures that fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import bill_readings
from graders.cost.answer import parse
from graders.cost.reading import read
from graders.kinds import grade
from graders.report import GradeReport
from scenarios.company.profile import DEFAULT
from scenarios.cost.model import model_of

LEVEL, SEED = bill_readings.VARIANTS[0]
BURST = {"account": "cluster-burst"}


def statement(what: str, where: dict[str, Any]) -> dict[str, Any]:
    table = {"opportunities": [{"id": "1", "what": what, "where": where}]}
    found: dict[str, Any] = read(parse(json.dumps(table)), DEFAULT, LEVEL, SEED)["statements"][0]
    return found


def meant(what: str, where: dict[str, Any]) -> str:
    return next((one["subject"] for one in statement(what, where)["matches"]), "")


def graded(*rows: dict[str, Any]) -> GradeReport:
    full = [{"id": str(n), **row} for n, row in enumerate(rows, start=1)]
    files = {"answer.json": json.dumps({"opportunities": full})}
    return grade(bill_readings.PACK, LEVEL, SEED, files)


def scored(name: str, level: str = LEVEL, seed: int = SEED) -> float:
    return float(bill_readings.graded(bill_readings.ANSWERS[name], level, seed)["score"])


def findings(report: GradeReport) -> list[str]:
    return [one["finding"] for one in report.evidence if one["kind"] == "finding"]


@pytest.mark.parametrize("name", ["first", "second", "third"])
@pytest.mark.by_day(but=["first"])
def test_rows_are_read_right_or_left_open(name: str) -> None:
    found = bill_readings.read_rows(bill_readings.sets()[name]["rows"])
    assert found["wrong"] == 0, found["not_right"]
    assert found["right"] >= 2 * found["unknown"], found["not_right"]


@pytest.mark.parametrize(
    ("lever", "where"),
    [
        ("licences", {"service": "AI software suite"}),
        ("return_lease", {"service": "Leased nodes"}),
        ("third_party", {"service": "Support of old*"}),
        ("unused_commitment", {"commitment": "Unused"}),
        ("chargeback", {"account": ["research-dev", "model-eval"]}),
        ("notebook_ttl", {"account": "research-dev"}),
    ],
)
def test_a_filter_on_the_rows_of_one_lever_decides(lever: str, where: dict[str, Any]) -> None:
    assert meant("xyzzy", where) == lever
    assert meant("Let the idle part go", where) == lever
    assert statement("xyzzy", where)["matches"][0]["rests"] == "filter"


def test_what_only_the_filter_says_is_held_against_nobody() -> None:
    cost = model_of(DEFAULT, LEVEL, SEED).bill.cost["lic.suite"] / 100
    row = {"where": {"service": "AI software suite"}, "saving": {"kind": "money", "value": cost}}
    assert findings(graded({"what": "xyzzy", **row})) == []
    assert findings(graded({"what": "Drop unused licences", **row})) == ["over_claim"]


@pytest.mark.parametrize(
    ("what", "where"),
    [
        ("Kill idle jobs, pack small ones, and shut burst instances down earlier", BURST),
        ("Spot, or our own nodes at night", {"account": "data-batch"}),
        ("Do better", BURST),
    ],
)
def test_what_can_be_read_in_two_ways_is_open_and_no_accusation(
    what: str, where: dict[str, Any]
) -> None:
    said = statement(what, where)
    assert said["matches"] == []
    row = {"what": what, "where": where, "saving": {"kind": "money", "value": 150_000}}
    report = graded(row)
    assert findings(report) == []
    shown = next(one for one in report.evidence if one["kind"] == "opportunity")
    assert shown["subject"] == ""
    if said["doubt"]:
        assert shown["why"] == said["doubt"]


def test_of_several_measures_in_a_row_all_are_named() -> None:
    said = statement(
        "Kill idle jobs, pack small ones, and shut burst instances down earlier", BURST
    )
    assert said["doubt"].startswith("It can be read as “Reap idle allocations” or “")


def test_a_figure_far_too_low_is_not_sound() -> None:
    low = {"what": "Let the unused commitment lapse", "where": {"commitment": "Unused"}}
    report = graded(*[{**low, "saving": {"kind": "money", "value": 900}}])
    value = next(one.value for one in report.measures if one.measure.key == "soundness")
    assert (value, findings(report)) == (0, [])


@pytest.mark.parametrize(("level", "seed"), bill_readings.VARIANTS)
@pytest.mark.nightly
def test_lists_whose_figures_do_not_fit_stay_low_and_filters_count(level: str, seed: int) -> None:
    assert scored("expert", level, seed) >= 0.95
    assert scored("in German", level, seed) >= 0.9
    for name in bill_readings.ANSWERS:
        if name.startswith("24 bare names") or name in (
            "without figures",
            "every figure 50,000 USD",
            "every figure 2.6 times",
            "every figure a third",
        ):
            assert scored(name, level, seed) < 0.3, name
    assert scored("without filters", level, seed) <= scored("expert", level, seed) - 0.1
