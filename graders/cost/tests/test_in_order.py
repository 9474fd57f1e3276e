"""A bill with a least sum: what a figure is worth depends on what the table itself puts before it."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from graders.cost.makers import write_golden
from graders.kinds import grade
from graders.report import GradeReport
from scenarios.company.profile import DEFAULT
from scenarios.cost.catalogue import levers
from scenarios.cost.model import model_of
from scenarios.packs import load_pack

PACK = load_pack("cost/fleet-bill")
Json = dict[str, Any]


def expert(level: str, seed: int) -> Json:
    found: Json = json.loads(write_golden(PACK, level, "expert", seed)[PACK.entry])
    return found


def graded(level: str, seed: int, answer: Json) -> GradeReport:
    return grade(PACK.name, level, seed, {PACK.entry: json.dumps(answer)})


def in_full(level: str, seed: int) -> Json:
    """The largest savings, each reckoned alone and stated exactly: the plausible table that does not add up."""
    model = model_of(DEFAULT, level, seed)
    said = tomllib.loads((PACK.folder / "goldens" / "words.toml").read_text(encoding="utf-8"))
    groups: set[str] = set()
    rows: list[Json] = []
    ranked = sorted(model.savings.values(), key=lambda one: -one.alone)
    for one in ranked:
        group = levers()[one.lever].group or one.lever
        if not one.real or group in groups:
            continue
        groups.add(group)
        about = said[one.lever]
        rows.append(
            {
                "id": str(len(rows) + 1),
                "what": about["expert"],
                "where": about["where"],
                "saving": {"kind": "money", "value": round(one.alone / 100), "of": ""},
                "complexity": levers()[one.lever].complexity,
                "risk": about["risk"],
                "timeline": about["weeks"],
                "dependency": "first the others on the same money",
                "priority": len(rows) + 1,
            }
        )
    return {"sections": {}, "opportunities": rows}


@pytest.mark.parametrize(("level", "seed"), [("mid", 3), ("mid", 8), ("senior", 3), ("senior", 8)])
@pytest.mark.nightly
def test_an_independent_sum_falls_far_behind(level: str, seed: int) -> None:
    best = graded(level, seed, expert(level, seed)).score or 0
    assert best >= 0.95
    assert (graded(level, seed, in_full(level, seed)).score or 0) <= best - 0.3


@pytest.mark.nightly
def test_the_row_beyond_the_room_says_where_its_saving_goes() -> None:
    report = graded("senior", 8, in_full("senior", 8))
    texts = [row["text"] for row in report.evidence if row["kind"] == "finding"]
    assert any("least sum that the cloud is to be paid" in text for text in texts)


@pytest.mark.nightly
def test_rows_said_to_leave_nothing_are_not_held_against_anybody() -> None:
    model, answer = model_of(DEFAULT, "senior", 8), expert("senior", 8)
    spare = [
        row
        for row in in_full("senior", 8)["opportunities"]
        if row["what"] not in {one["what"] for one in answer["opportunities"]}
    ][:2]
    assert spare
    assert model.room is not None
    count = len(answer["opportunities"])
    for number, row in enumerate(spare, count + 1):
        row |= {"id": str(number), "priority": number, "saving": {"kind": "money", "value": None}}
    more = {**answer, "opportunities": [*answer["opportunities"], *spare]}
    plain, beside = graded("senior", 8, answer), graded("senior", 8, more)
    for a, b in zip(plain.measures, beside.measures, strict=True):
        if a.measure.key != "order":
            assert b.value == pytest.approx(a.value, abs=1.0), a.measure.key


def test_the_same_figures_in_another_order_are_other_figures() -> None:
    answer = expert("senior", 8)
    turned = json.loads(json.dumps(answer))
    count = len(turned["opportunities"])
    for row in turned["opportunities"]:
        row["priority"] = count + 1 - row["priority"]
    before, after = graded("senior", 8, answer), graded("senior", 8, turned)
    assert (after.score or 0) < (before.score or 0) - 0.05
