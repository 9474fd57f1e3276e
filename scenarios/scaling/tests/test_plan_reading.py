"""A plan is read as far as it is finished, and rubbish costs nothing but a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.company.profile import DEFAULT
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import BadPlan, Plan
from scenarios.scaling.reading import parse, parse_object, to_json
from scenarios.scaling.reference_plans import reference

ORDER = {"id": "a", "month": "2026-02", "item": "node:H100 node", "count": 2, "site": "Site A"}


def test_what_is_written_reads_back() -> None:
    plan = reference(scene_of(DEFAULT, "senior", 1))
    assert parse(json.dumps(to_json(plan))) == plan
    assert parse("") == parse("{}") == parse("null") == Plan()


def test_a_draft_is_kept_out_and_the_rest_counts() -> None:
    rows: list[Any] = [
        ORDER,
        {"id": "b", "month": "2026-03"},
        {**ORDER, "id": "c", "count": "1,200"},
    ]
    plan = parse_object({"purchases": rows, "cloud": [{"kind": "spot", "from": "2026-01"}]})
    assert [(one.id, one.count) for one in plan.purchases] == [("a", 2), ("c", 1200)]
    assert plan.left_out == (
        "Row 2 of purchases does not count yet: it has no item.",
        "Row 1 of cloud does not count yet: it has no last month.",
    )


@pytest.mark.parametrize("count", [0, -1, 1.5, "", "many", True, None, float("inf"), 10**9])
def test_a_count_is_a_whole_number(count: object) -> None:
    plan = parse_object({"purchases": [{**ORDER, "count": count}]})
    assert not plan.purchases
    assert len(plan.left_out) == 1


def test_names_are_made_and_stay_apart() -> None:
    plan = parse_object({"purchases": [ORDER, ORDER, {**ORDER, "id": ""}]})
    assert [one.id for one in plan.purchases] == ["a", "a+", "purchases-3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON: look at line 1"),
        ('{"claims": {"a": NaN}}', "is not JSON"),
        ("[]", "must hold an object"),
        ('{"purchases": 3}', "purchases in plan.json must be a list"),
        ('{"risks": ["late"]}', "Row 1 of risks in plan.json must be an object"),
        ('{"claims": []}', "claims in plan.json must be an object"),
        ("[" * 100_000, "is not JSON"),
        (" " * 1_000_001, "more than 1,000,000 characters"),
    ],
)
def test_what_is_no_plan_is_told_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(BadPlan, match=said):
        parse(text)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
TABLES = ("purchases", "cloud", "retire", "policies", "phases", "risks", "sheet", "claims")


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(TABLES), JUNK) | JUNK)
@pytest.mark.nightly
def test_rubbish_is_read_or_refused(data: object) -> None:
    try:
        plan = parse_object(data)
    except BadPlan:
        return
    again = parse_object(to_json(plan))
    assert replace(again, left_out=plan.left_out) == plan


def test_the_sheet_keeps_what_was_typed() -> None:
    row = {"label": "Rent saved", "cells": ["=B1*2", 12, "x"], "values": [4, None, "x", True]}
    plan = parse_object({"sheet": [row, {}]})
    assert plan.sheet[0]["label"] == "Rent saved"
    assert plan.sheet[0]["cells"] == ["=B1*2", "12", "x"] + [""] * 10
    assert plan.sheet[0]["values"] == [4.0] + [None] * 12
    assert len(plan.left_out) == 1
