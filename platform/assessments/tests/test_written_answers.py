"""An answer in a room as its grader reads it: what no JSON, page or database could hold is replaced."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assessments.cost import workplace as cost
from assessments.cost.workplace import OPPORTUNITIES
from assessments.kinds import Room
from assessments.scaling import workplace as scaling
from assessments.scaling.workplace import PLAN
from scenarios.scaling.reading import parse_object

BILL, YEAR = cost.KIND, scaling.KIND


def read(kept: Room, path: str, text: str) -> Any:
    body = {"files": {path: text}, "sections": {}}

    def refused(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(kept.written(body), parse_constant=refused)[kept.key]


def test_half_an_emoji_and_a_zero_byte_are_replaced() -> None:
    text = json.dumps({"opportunities": [{"what": "cut \ud83d", "risk": "\u0000 😀"}]})
    assert read(BILL, OPPORTUNITIES, text) == [{"what": "cut \ufffd", "risk": "\ufffd 😀"}]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_json_does_not_have_is_left_out_and_the_rest_counts(number: str) -> None:
    text = '{"opportunities": [{"what": "x", "saving": {"value": %s}}]}' % number  # noqa: UP031
    assert read(BILL, OPPORTUNITIES, text) == [{"what": "x", "saving": {"value": None}}]


@pytest.mark.parametrize("key", ["id", "count"])
def test_a_number_larger_than_any_float_is_one_row_that_does_not_count(key: str) -> None:
    row = {"id": "p1", "month": "2026-01", "item": "rack", "count": 1, "site": "Site A"}
    rows = [row | {key: int("9" * 400)}, row | {"id": "p2"}]
    found = parse_object(read(YEAR, PLAN, json.dumps({"purchases": rows})))
    assert "p2" in [one.id for one in found.purchases]
