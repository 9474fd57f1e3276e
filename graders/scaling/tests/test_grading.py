"""Whole gradings, each over one or two hidden years: what is played once is kept by the process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graders.kinds import grade, grader_of, needs_sandbox, run_public
from graders.report import GradeReport
from graders.scaling.calibration import missed, play, unnamed
from graders.scaling.grading import KIND, YEAR
from graders.scaling.makers import MAKERS, write_golden
from graders.scaling.measuring import counting, measures
from graders.written import BadCorrection
from scenarios.company.profile import DEFAULT
from scenarios.packs import load_pack
from scenarios.scaling.draw import scene_of
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.measures import MEASURES

PACK, LEVEL, SEED = "scaling-plan/growth-year", "mid", 3
NAMES = [one.name for one in scene_of(DEFAULT, LEVEL, SEED).months]


def graded(plan: dict[str, Any], **sections: str) -> GradeReport:
    files = {"answer.json": json.dumps({"sections": sections, "plan": plan})}
    return grade(PACK, LEVEL, SEED, files, hidden=1)


def golden(name: str) -> GradeReport:
    return grade(PACK, LEVEL, SEED, write_golden(load_pack(PACK), LEVEL, name, SEED), hidden=1)


@pytest.mark.nightly
def test_revision_is_played_over_other_years() -> None:
    files = write_golden(load_pack(PACK), LEVEL, "solid", SEED)
    first, second, again = (
        of_kind(grade(PACK, LEVEL, SEED, files, hidden=1, round=number), YEAR)
        for number in (1, 2, 2)
    )
    assert first != second == again


def findings(report: GradeReport) -> list[str]:
    return [row["finding"] for row in report.evidence if row["kind"] == "finding"]


def of_kind(report: GradeReport, kind: str) -> list[dict[str, Any]]:
    return [row for row in report.evidence if row["kind"] == kind]


@pytest.mark.parametrize("level", list(LEVELS))
@pytest.mark.by_day(ids=["junior"])
def test_goldens_come_out_in_their_order(level: str) -> None:
    pack = load_pack(PACK)
    rows = play(pack, level, SEED, hidden=1)
    assert missed(pack, {str(SEED): rows}) == []
    assert unnamed(rows) == []
    assert {"capex_usd", "gpu_hours"} <= set(rows["over_claimer"]["claims"])
    assert "bottleneck_not_addressed" in rows["silent"]["findings"]
    assert "over_claim" not in rows["expert"]["findings"]
    assert "prose_contradicts_plan" not in {f for one in rows.values() for f in one["findings"]}
    assert {"phase_impossible", "risk_without_trigger"} <= set(rows["eloquent"]["findings"])


@pytest.mark.nightly
@pytest.mark.parametrize("level", list(LEVELS))
def test_another_year_has_the_same_order(level: str) -> None:
    rows = play(load_pack(PACK), level, 8, hidden=1, names=("expert", "solid", "naive"))
    assert rows["expert"]["score"] > rows["solid"]["score"] > rows["naive"]["score"]
    assert rows["naive"]["score"] == 0.0


@pytest.mark.nightly
def test_nothing_runs_in_a_sandbox_and_the_pack_is_known() -> None:
    assert not needs_sandbox(PACK)
    assert grader_of(PACK) is KIND
    report = grade(PACK, LEVEL, SEED, {"answer.json": ""}, None, 1)
    assert report.status == "done"


def test_measures_are_those_of_the_model_with_units_and_directions() -> None:
    assert set(measures()) <= set(MEASURES)
    for key, one in measures().items():
        assert one.unit == MEASURES[key].unit
        assert one.better == {"high": "higher", "low": "lower"}[MEASURES[key].better]
    assert counting("work") | counting("thrift") | counting("subject") == set(measures())


@pytest.mark.nightly
def test_without_a_plan_the_year_is_played_as_it_is_and_thrift_is_no_merit() -> None:
    report = graded({}, rationale="An organisation is a river. " * 50)
    assert report.detail.startswith("The plan changes nothing")
    scores = {one.measure.key: one.score for one in report.measures}
    done = [min(1.0, max(0.0, scores[key])) for key in counting("work")]
    assert all(scores[key] <= sum(done) / len(done) + 1e-9 for key in counting("thrift"))
    assert (report.score or 0.0) < 0.2
    assert report.score == graded({}).score


def test_who_gives_every_node_back_gains_nothing() -> None:
    """Nothing runs, so nothing is full, over budget or unused."""
    rows = [
        {"month": NAMES[0], "item": kind.name, "count": count, "site": place.site.name}
        for place in scene_of(DEFAULT, LEVEL, SEED).places
        for kind, count in place.nodes
    ]
    report = graded({"retire": rows})
    assert {one.measure.key: one.value for one in report.measures}["saturated"] < 1.0
    assert (report.score or 0.0) <= 0.02


def test_the_same_answer_has_the_same_report() -> None:
    plan = {"claims": {"wait_p95_h": 1.0}}
    assert graded(plan).to_dict() == graded(plan).to_dict()


@pytest.mark.parametrize("text", ["{", "[]", '{"plan": 7}', '{"sections": {"money": 1}}', "\x00"])
def test_rubbish_is_said_and_not_measured(text: str) -> None:
    report = grade(PACK, LEVEL, SEED, {"answer.json": text}, hidden=1)
    assert (report.status, report.score, report.evidence) == ("candidate_error", None, [])
    assert report.detail.startswith("Not measured: ")


@pytest.mark.nightly
def test_rows_that_name_nothing_are_kept_out_and_found() -> None:
    plan = {
        "purchases": [
            {"id": "a", "month": "1999-01", "item": "spine", "count": 1, "site": "Site A"},
            {"id": "b", "month": NAMES[0], "item": "node:dream", "count": 9, "site": "Mars"},
            {"id": "c", "month": "", "item": "", "count": None, "site": ""},
        ],
        "cloud": [{"id": "d", "from": "x", "to": "y", "kind": "spot", "gpus": 3}],
        "policies": [{"id": "e", "month": NAMES[0], "policy": "magic", "value": True}],
        "phases": [{"id": "f", "name": "?", "from": "z", "to": "zz", "depends": ["gone"]}],
        "sheet": [{"label": "Capital", "cells": ["=A1"], "values": [1e300]}],
        "claims": {"capex_usd": "much"},
    }
    report = graded(plan)
    assert report.status == "done"
    assert findings(report).count("rule_broken") >= 4
    assert any("Row 3 of purchases" in row["text"] for row in of_kind(report, "note"))


def test_a_number_of_hidden_years_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="from 1 to 20"):
        grade(PACK, LEVEL, SEED, {"answer.json": ""}, hidden=0)


def test_progress_is_told_after_every_year() -> None:
    told: list[tuple[int, int]] = []
    files = {"answer.json": ""}
    grade(PACK, LEVEL, SEED, files, hidden=1, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 1)]


@pytest.mark.nightly
def test_every_figure_can_be_opened_by_year_month_and_kind_of_work() -> None:
    (row,) = of_kind(golden("solid"), YEAR)
    assert row["draw"] == 1
    assert [month["month"] for month in row["months"]] == NAMES
    assert set(row["months"][0]["classes"]) == set(row["classes"])
    assert set(measures()) <= set(row["naive"])
    assert set(measures()) <= set(row["reference"])
    assert {one["figure"] for one in row["why"]} & set(measures())


def test_a_juniors_solid_plan_misses_one_bottleneck_and_says_so() -> None:
    level = "junior"
    files = write_golden(load_pack(PACK), level, "solid", SEED)
    report = grade(PACK, level, SEED, files, hidden=1)
    states = [row["state"] for row in of_kind(report, "bottleneck")]
    assert states.count("left") == 1
    assert len(states) == LEVELS[level].bottlenecks
    (left,) = [one for one in of_kind(report, "finding") if one["subject"]]
    assert left["finding"].startswith("bottleneck_")
    assert left["where"]
    assert left["figures"][0][1] > left["figures"][1][1]


@pytest.mark.nightly
def test_a_rule_is_no_answer_where_it_changes_nothing() -> None:
    scene = scene_of(DEFAULT, LEVEL, SEED)
    rules = [
        {"id": str(n), "month": NAMES[0], "policy": name, "value": value}
        for n, (name, value) in enumerate(scene.before.items())
    ]
    states = {row["state"] for row in of_kind(graded({"policies": rules}), "bottleneck")}
    assert states == {"left"}


def test_a_commitment_that_nobody_needs() -> None:
    region = scene_of(DEFAULT, LEVEL, SEED).rents[0].region
    rent = {"id": "c1", "from": NAMES[0], "to": NAMES[11], "kind": "reserved_1y", "gpus": 400}
    rent |= {"region": region, "classes": ["batch"]}
    line = {"id": "l", "month": NAMES[0], "policy": "cloud_link_gbps", "value": 400}
    report = graded({"cloud": [rent], "policies": [line]})
    found = [one for one in of_kind(report, "finding") if one["finding"] == "commitment_unused"]
    assert [one["rows"][0]["id"] for one in found] == ["c1"]


def test_text_that_says_something_else_than_the_plan() -> None:
    report = graded({}, phases="We order 12 nodes in March. We order nothing else.")
    (found,) = [one for one in of_kind(report, "finding") if one["subject"] == "phases"]
    assert found["finding"] == "prose_contradicts_plan"
    assert "12 nodes in March" in found["text"]


@pytest.mark.nightly
def test_corrections_set_a_finding_aside_and_take_it_back() -> None:
    report = golden("solid").to_dict()
    (first, *_) = [row for row in report["evidence"] if row["kind"] == "finding"]
    said = {"statement": first["id"], "subject": first["finding"], "verdict": "none"}
    found = KIND.reassess(report, [said])
    aside = [row["id"] for row in found.evidence if row.get("aside")]
    assert aside == [first["id"]]
    assert [one.to_dict() for one in found.measures] == report["measures"]
    undone = KIND.reassess(report, [said, {**said, "verdict": "states"}])
    assert undone.evidence == report["evidence"]
    with pytest.raises(BadCorrection, match="no finding"):
        KIND.reassess(report, [{**said, "statement": "x"}])
    with pytest.raises(BadCorrection, match="verdict"):
        KIND.reassess(report, [{**said, "verdict": "maybe"}])
    with pytest.raises(LookupError):
        KIND.reassess({"evidence": []}, [])


def test_the_reading_survives_being_kept() -> None:
    report = json.loads(json.dumps(golden("solid").to_dict()))
    assert [row["kind"] for row in report["evidence"]][-1] == KIND.reading
    assert KIND.reassess(report, []).evidence == report["evidence"]


def test_a_what_if_has_the_expected_year_and_nothing_of_the_reference() -> None:
    files = write_golden(load_pack(PACK), LEVEL, "solid", SEED)
    report = run_public(PACK, LEVEL, SEED, files)
    assert report.status == "ok"
    told = ["checks", "classes", "measures", "months", "naive", "why"]
    assert sorted(report.timeline) == told
    assert report.timeline["checks"]["orders"]
    assert set(report.timeline["naive"]["measures"]) == set(MEASURES)
    plain = json.dumps(report.to_dict())
    assert "reference" not in plain
    assert all(key not in plain for key in ("bottleneck", '"draw"'))
    plan = json.loads(files["answer.json"])["plan"]
    again = run_public(PACK, LEVEL, SEED, {"plan.json": json.dumps(plan), "answer.json": "{"})
    assert again.timeline == report.timeline


def test_a_plan_that_cannot_be_read_is_not_run() -> None:
    report = run_public(PACK, LEVEL, SEED, {"plan.json": "{"})
    assert report.status == "candidate_error"
    assert report.detail == "The plan was not run: plan.json is not JSON: look at line 1."


@pytest.mark.nightly
def test_every_maker_writes_the_sections_of_its_level() -> None:
    pack = load_pack(PACK)
    for level in LEVELS:
        keys = [one.key for one in pack.sections(level)]
        for name in set(MAKERS) - {"silent"}:
            if level == LEVEL or name in ("naive", "eloquent"):
                answer = json.loads(write_golden(pack, level, name, SEED)[pack.entry])
                assert list(answer["sections"]) == keys
                assert all(answer["sections"].values())
