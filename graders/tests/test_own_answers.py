"""Answers of many kinds to a plan and to a program of alerts came to what they are worth when last graded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import own_answers

KEPT: dict[str, Any] = json.loads(own_answers.TARGET.read_text(encoding="utf-8"))
ROWS = [
    (pack, name, row)
    for pack in (own_answers.PLAN, own_answers.ALERTS)
    for name, row in KEPT[pack].items()
]


@pytest.mark.parametrize(("pack", "name", "row"), ROWS, ids=[f"{p} {n}" for p, n, _ in ROWS])
def test_an_answer_of_each_kind_keeps_its_bar(pack: str, name: str, row: dict[str, Any]) -> None:
    right, found = KEPT[pack]["right"]["score"], row["score"]
    if row["bar"] == "right":
        assert found >= 0.95
    elif row["bar"] == "keeps":
        assert found >= own_answers.KEEPS * right
    elif row["bar"] == "falls":
        assert found <= own_answers.FALLS * right
    elif row["bar"] == "lower":
        assert found <= right - 0.05
    else:
        assert row["findings"]["prose_contradicts_plan"] == 3


def test_every_kind_was_graded() -> None:
    assert set(KEPT[own_answers.PLAN]) == set(own_answers.PLANS)
    assert set(KEPT[own_answers.ALERTS]) == set(own_answers.PROGRAMS)
