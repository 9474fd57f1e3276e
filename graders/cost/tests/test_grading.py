from __future__ import annotations

import json
from typing import Any

import pytest

from graders.cost.answer import parse
from graders.cost.assess import NAMED, assess, nearness
from graders.cost.calibration import missed, play, unnamed
from graders.cost.grading import KIND
from graders.cost.reading import read
from graders.cost.tests.paraphrases import SAID
from graders.cost.timelines import months_said
from graders.kinds import grade, needs_sandbox
from graders.report import GradeReport
from graders.written import BadCorrection
from scenarios.company.profile import DEFAULT
from scenarios.cost.draw import scene_of
from scenarios.cost.model import model_of
from scenarios.packs import load_pack

PACK, LEVEL, SEED = "cost/fleet-bill", "mid", 3
BURST = {"account": "cluster-burst"}


def graded(*rows: dict[str, Any]) -> GradeReport:
    full = [{"id": str(n), **row} for n, row in enumerate(rows, start=1)]
    files = {"answer.json": json.dumps({"sections": {}, "opportunities": full})}
    return grade(PACK, LEVEL, SEED, files)


def findings(report: GradeReport) -> list[tuple[str, list[str]]]:
    return [
        (row["finding"], row["opportunities"])
        for row in report.evidence
        if row["kind"] == "finding"
    ]


def usd(value: float) -> dict[str, Any]:
    return {"kind": "money", "value": value, "of": ""}


def row(what: str, where: dict[str, Any], value: float, **more: Any) -> dict[str, Any]:
    return {"what": what, "where": where, "saving": usd(value), **more}


def alone(key: str) -> float:
    return model_of(DEFAULT, LEVEL, SEED).savings[key].alone / 100


def measure(report: GradeReport, key: str) -> float:
    return next(one.value for one in report.measures if one.measure.key == key)


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("level", ["junior", "mid", "senior"])
@pytest.mark.by_day(ids=["junior-3"])
def test_goldens_come_out_in_their_order(level: str, seed: int) -> None:
    pack = load_pack(PACK)
    rows = play(pack, level, seed)
    assert missed(pack, {str(seed): rows}) == []
    assert unnamed(rows) == []


@pytest.mark.nightly
def test_nothing_runs_and_the_same_answer_has_the_same_report() -> None:
    assert not needs_sandbox(PACK)
    one = row("End idle notebooks", {"account": "research-dev"}, 1000)
    assert graded(one).to_dict() == graded(one).to_dict()


@pytest.mark.nightly
def test_an_empty_table_is_measured_as_nothing_and_a_broken_one_is_not() -> None:
    assert graded().score == 0.0
    report = grade(PACK, LEVEL, SEED, {"answer.json": "{"})
    assert (report.status, report.score) == ("candidate_error", None)


@pytest.mark.nightly
def test_the_model_knows_measures_in_others_words() -> None:
    rows = [{"id": str(n), "what": what, "where": where} for n, (_, what, where) in enumerate(SAID)]
    reading = read(parse(json.dumps({"opportunities": rows})), DEFAULT, LEVEL, SEED)
    meant = [
        row["matches"][0]["subject"] if row["matches"] else "" for row in reading["statements"]
    ]
    wrong = [(want, got) for (want, _, _), got in zip(SAID, meant, strict=True) if want != got]
    assert len(wrong) <= 2, wrong


def test_the_rows_of_a_finding_are_those_that_show_it() -> None:
    sunk = {
        "what": "Sell idle nodes to save amortisation",
        "where": {"service": "Owned GPU nodes"},
        "saving": usd(300_000),
    }
    (found,) = [one for one in graded(sunk).evidence if one["kind"] == "finding"]
    assert found["finding"] == "sunk"
    assert {one["service"] for one in found["rows"]} == {"Owned GPU nodes"}
    assert found["where"] == ["policies/accounting.md"]
    assert found["rows"][0]["rows"] == 240


def test_a_percentage_is_of_what_it_says() -> None:
    plain = {"what": "End idle notebooks", "where": {"account": "research-dev"}}
    of = {"": "research-dev", "total": "", "data-batch": "data-batch"}
    costs = {}
    for name in of:
        report = graded({**plain, "saving": {"kind": "percent", "value": 10, "of": name}})
        one = next(one for one in report.evidence if one["kind"] == "opportunity")
        costs[name] = one["claimed_usd"]
    bill = model_of(DEFAULT, LEVEL, SEED).bill
    assert costs["total"] == round(bill.total / 1000)
    assert costs[""] == round(bill.cost["od.dev"] / 1000)
    assert costs["data-batch"] == round((bill.cost["od.batch"] + bill.cost["spot.batch"]) / 1000)


def test_the_same_saving_twice_and_more_than_a_line_costs() -> None:
    lapse = {"what": "Let the unused commitment lapse", "where": {"commitment": "Unused"}}
    twice = graded(
        {**lapse, "saving": usd(alone("unused_commitment"))}, {**lapse, "saving": usd(1)}
    )
    assert ("double_count", ["2"]) in findings(twice)
    cost = model_of(DEFAULT, LEVEL, SEED).bill.cost["od.burst"] / 100
    much = graded(
        {
            "what": "Switch off warm burst instances when the queue is empty",
            "where": BURST,
            "saving": usd(cost * 0.6),
        },
        row("Let teams borrow idle quota", BURST, cost * 0.6),
    )
    assert ("double_count", ["1", "2"]) in findings(much)


@pytest.mark.nightly
def test_a_commitment_of_load_that_can_be_made_smaller() -> None:
    level, seed = "senior", 13
    assert {"commit_base", "serving_efficiency"} <= scene_of(DEFAULT, level, seed).planted
    saving = model_of(DEFAULT, level, seed).savings["commit_base"].alone / 100
    bound = {
        "id": "1",
        "what": "One-year commitment for the base load of serving",
        "saving": usd(saving),
        "where": {"account": "serving-prod", "charge": "*on-demand*"},
    }
    plain = grade(PACK, level, seed, {"answer.json": json.dumps({"opportunities": [bound]})})
    assert ("waste_commitment", ["1"]) in findings(plain)
    aware = {**bound, "dependency": "after serving has been made smaller; then less is committed"}
    better = grade(PACK, level, seed, {"answer.json": json.dumps({"opportunities": [aware]})})
    assert "waste_commitment" not in [kind for kind, _ in findings(better)]


def test_a_long_list_of_everything_is_not_worth_more() -> None:
    rows = [
        {"what": what, "where": where, "saving": usd(50_000), "priority": n + 1}
        for n, (_, what, where) in enumerate(SAID)
    ]
    everything = graded(*rows)
    few = [
        {**row, "saving": usd(alone(key))}
        for row, (key, _, _) in zip(rows, SAID, strict=True)
        if key in model_of(DEFAULT, LEVEL, SEED).best
    ]
    assert (everything.score or 0) < 0.3 < 0.6 < (graded(*few).score or 0)
    assert measure(everything, "soundness") < 60


def test_one_dollar_is_no_figure() -> None:
    key, what, where = next(one for one in SAID if one[0] == "unused_commitment")
    dear = graded({"what": what, "where": where, "saving": usd(alone(key))})
    cheap = graded({"what": what, "where": where, "saving": usd(1)})
    assert measure(cheap, "found") == pytest.approx(measure(dear, "found") * NAMED, abs=0.02)
    assert measure(cheap, "accuracy") == 0


def test_an_order_turned_round_earns_less_than_none() -> None:
    """What is put first although it gives an eighth is a pair that is wrong, not one that is left out."""
    large, small = (
        row(what, where, alone(key))
        for wanted in ("fair_share", "serving_efficiency")
        for key, what, where in [next(one for one in SAID if one[0] == wanted)]
    )
    right = graded(large | {"priority": 1}, small | {"priority": 2})
    turned = graded(large | {"priority": 2}, small | {"priority": 1})
    assert "1 pairs of 1 right, 0 wrong" in said_of(right, "order")
    assert "0 pairs of 1 right, 1 wrong" in said_of(turned, "order")


def said_of(report: GradeReport, key: str) -> str:
    return str(
        next(one.to_dict()["explanation"] for one in report.measures if one.measure.key == key)
    )


def test_corrections_change_the_measures_and_nothing_else() -> None:
    report = graded(
        {"what": "Do the clever thing", "where": BURST, "saving": usd(alone("cloud_poweroff"))}
    ).to_dict()
    assert measure_of(report, "found") == 0
    said = [{"statement": "1", "subject": "cloud_poweroff", "verdict": "states"}]
    found = KIND.reassess(report, said)
    assert next(one.value for one in found.measures if one.measure.key == "found") > 0
    (shown,) = [one for one in found.evidence if one["kind"] == "opportunity"]
    assert shown["corrected"]
    undone = KIND.reassess(
        report, [*said, {"statement": "1", "subject": "cloud_poweroff", "verdict": "none"}]
    )
    assert [one.to_dict() for one in undone.measures] == report["measures"]
    with pytest.raises(BadCorrection, match="no opportunity"):
        KIND.reassess(report, [{"statement": "9", "subject": "zombies", "verdict": "states"}])
    with pytest.raises(LookupError):
        KIND.reassess({"evidence": []}, [])


def measure_of(report: dict[str, Any], key: str) -> float:
    return float(next(one["value"] for one in report["measures"] if one["key"] == key))


def test_challenges_begin_with_what_has_most_to_talk_about() -> None:
    report = graded(
        {
            "what": "Delete unattached volumes",
            "where": {"resource": "old-*"},
            "saving": usd(20_000),
            "risk": "somebody needs one",
        },
        {
            "what": "Run serving on spot",
            "where": {"account": "serving-prod"},
            "saving": usd(100_000),
        },
    )
    found = [row for row in report.evidence if row["kind"] == "challenge"]
    assert [row["opportunity"] for row in found] == ["2", "1"]
    assert found[0]["question"].endswith("?")
    assert [row["rank"] for row in found] == [1, 2]


def test_the_reading_is_enough_to_assess_again() -> None:
    report = graded(
        {"what": "Delete unattached volumes", "where": {"resource": "old-*"}, "saving": usd(20_000)}
    )
    reading = next(row for row in report.evidence if row["kind"] == KIND.reading)
    kept = json.loads(json.dumps({key: value for key, value in reading.items() if key != "kind"}))
    assert [one.value for one in assess(kept).measures] == [one.value for one in report.measures]


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("6 weeks", 1.386),
        ("2-3 months", 2.5),
        ("one day", 0.033),
        ("sechs Wochen", 1.386),
        ("2 à 3 mois", 2.5),
        ("tres semanas", 0.693),
        ("soon", None),
        ("1 quarter", 3.0),
        ("30 days", 1.0),
        ("9" * 1000, None),
        ("1 " * 500, None),
        ("", None),
    ],
)
def test_times_are_read(text: str, months: float | None) -> None:
    assert months_said(text) == (None if months is None else pytest.approx(months, abs=0.01))


def test_nearness_falls_to_nothing_at_twice_the_range() -> None:
    assert nearness(100, 80, 120) == 1
    assert nearness(240, 80, 120) == 0
    assert nearness(40, 80, 120) == 0
    assert 0 < nearness(150, 80, 120) < 1
    assert nearness(None, 80, 120) == 0
