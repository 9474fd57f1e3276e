"""Answers of many kinds to all four exercises came to what they are worth when last graded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import own_answers

KEPT: dict[str, Any] = json.loads(own_answers.TARGET.read_text(encoding="utf-8"))
MISSED: set[tuple[str, str]] = set()
"""What does not reach its bar yet; a reader that gets there takes its name off this list."""
ROWS = [(pack, name, row) for pack in own_answers.PACKS for name, row in KEPT[pack].items()]


@pytest.mark.parametrize(("pack", "name", "row"), ROWS, ids=[f"{p} {n}" for p, n, _ in ROWS])
def test_an_answer_of_each_kind_keeps_its_bar(pack: str, name: str, row: dict[str, Any]) -> None:
    right, found = own_answers.right_one(KEPT[pack], name), row["score"]
    if row["bar"] == "right":
        assert found >= 0.85
    elif row["bar"] == "keeps":
        assert (found < own_answers.KEEPS * right) is ((pack, name) in MISSED)
    elif row["bar"] == "falls":
        assert found <= own_answers.FALLS * right
    elif row["bar"] == "lower":
        assert found <= right - 0.05
    else:
        assert row["findings"]["prose_contradicts_plan"] == 3


def test_every_kind_was_graded_before_and_now() -> None:
    assert set(KEPT[own_answers.PLAN]) == set(own_answers.PLANS)
    assert set(KEPT[own_answers.ALERTS]) == set(own_answers.PROGRAMS)
    for pack in own_answers.PACKS:
        assert set(KEPT["before"]["scores"][pack]) == set(KEPT[pack])
