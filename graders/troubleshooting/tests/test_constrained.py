"""What may not be done for now: the allowed way counts in full, the forbidden one costs."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from graders.troubleshooting.answer import parse
from graders.troubleshooting.assess import assess
from graders.troubleshooting.catalogue import subjects
from graders.troubleshooting.makers import MAKERS, Maker, maker_of
from graders.troubleshooting.reading import read
from graders.troubleshooting.scoring import BROKEN
from scenarios.packs import load_pack
from scenarios.troubleshooting.constraints import bound_by

FOLDER = load_pack("troubleshooting/slow-training").folder / "goldens"


def actions(one: Maker, answer: Mapping[str, object]) -> float:
    found = assess(read(parse(json.dumps(answer)), one.truth)).measures
    return next(row.value for row in found if row.measure.key == "actions")


@pytest.mark.parametrize(("level", "seed"), [("mid", 7), ("mid", 8), ("senior", 7), ("senior", 8)])
@pytest.mark.nightly
def test_an_expert_keeps_to_it_and_breaking_it_costs(level: str, seed: int) -> None:
    one = maker_of(FOLDER, level, seed)
    rule = one.truth.key.constraint
    assert rule is not None
    assert rule.cause in one.truth.causes
    kept = MAKERS["expert"](one)
    text = json.dumps(kept)
    broken = json.loads(text.replace(json.dumps(rule.keeps)[1:-1], json.dumps(rule.breaks)[1:-1]))
    assert actions(one, kept) == 100
    assert actions(one, broken) == pytest.approx(
        100 - 50 * (1 - BROKEN) / len(one.truth.causes), abs=0.01
    )


@pytest.mark.parametrize(("level", "seed"), [("mid", 7), ("senior", 8)])
@pytest.mark.nightly
def test_what_is_bound_takes_more_effort_than_usual(level: str, seed: int) -> None:
    one = maker_of(FOLDER, level, seed)
    rule = one.truth.key.constraint
    assert rule is not None
    rows = read(parse(json.dumps(MAKERS["expert"](one))), one.truth)["truth"]["causes"]
    more = {row["key"]: row["effort"] - subjects()[row["key"]].effort for row in rows}
    bound = bound_by(rule.key)
    assert rule.cause in bound
    assert more == {key: int(key in bound) for key in one.truth.causes}


def test_a_junior_has_none() -> None:
    assert maker_of(FOLDER, "junior", 3).truth.key.constraint is None
