"""What a filter selects is counted row by row, and of two measures on the same hours one is had."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pytest

from graders.cost.scope import cents, groups_of, select, shown
from graders.cost.tests.paraphrases import SAID
from graders.kinds import grade
from scenarios.company.profile import DEFAULT
from scenarios.cost.catalogue import levers
from scenarios.cost.draw import scene_of
from scenarios.cost.ledger import bill_of
from scenarios.cost.model import model_of

LEVEL, SEED = "mid", 3
PAIR = [key for key, lever in levers().items() if lever.group == "batch"]


def test_every_row_of_the_bill_is_in_one_group() -> None:
    bill, groups = bill_of(DEFAULT, LEVEL, SEED), groups_of(DEFAULT, LEVEL, SEED)
    assert sum(group.rows for group in groups) == len(bill.rows)
    assert cents(groups) == sum(row.effective for row in bill.rows)
    assert min(group.first for group in groups) == f"{min(row.start for row in bill.rows)}"
    assert max(group.last for group in groups) == f"{max(row.end for row in bill.rows)}"


@pytest.mark.parametrize("account", ["data-batch", "research-dev"])
def test_rows_that_are_shown_say_how_many_they_stand_for(account: str) -> None:
    rows = [
        row
        for row in bill_of(DEFAULT, LEVEL, SEED).rows
        if row.account and row.account.name == account
    ]
    found = shown(select(groups_of(DEFAULT, LEVEL, SEED), {"account": (account.upper(),)}))
    assert 0 < len(found) < 12
    assert sum(one["rows"] for one in found) == len(rows)
    for one in found:
        own = [
            row
            for row in rows
            if (row.sku.service, row.sku.meter) == (one["service"], one["meter"])
        ]
        assert one["rows"] == len(own)
        assert one["usd"] == pytest.approx(sum(row.effective for row in own) / 100, abs=0.01)
        assert (one["from"], one["to"]) == (
            f"{min(row.start for row in own)}",
            f"{max(row.end for row in own)}",
        )
    assert [one["usd"] for one in found] == sorted((one["usd"] for one in found), reverse=True)


@lru_cache
def both_planted() -> int:
    """A seed of which both measures of the pair save something."""
    return next(
        seed for seed in range(1, 60) if set(PAIR) <= scene_of(DEFAULT, "senior", seed).planted
    )


def found_twice(*keys: str, more: Mapping[str, str] | None = None) -> list[list[str]]:
    """Which opportunities a table of these measures is said to count twice."""
    said = {key: (what, where) for key, what, where in SAID}
    savings = model_of(DEFAULT, "senior", both_planted()).savings
    table: list[dict[str, Any]] = [
        {
            "id": key,
            "what": said[key][0],
            "where": said[key][1],
            "saving": {"kind": "money", "value": savings[key].last / 100, "of": ""},
            **(more or {}),
        }
        for key in keys
    ]
    answer = {"answer.json": json.dumps({"sections": {}, "opportunities": table})}
    report = grade("cost/fleet-bill", "senior", both_planted(), answer)
    assert report.status == "done"
    return [
        row["opportunities"]
        for row in report.evidence
        if row["kind"] == "finding" and row["finding"] == "double_count"
    ]


@pytest.mark.nightly
def test_two_measures_on_the_same_hours_are_found() -> None:
    assert len(PAIR) == 2
    assert [sorted(ids) for ids in found_twice(*PAIR)] == [sorted(PAIR)]


@pytest.mark.nightly
def test_one_of_them_alone_counts_nothing_twice() -> None:
    assert [found_twice(key) for key in PAIR] == [[], []]


@pytest.mark.nightly
def test_nothing_is_counted_twice_by_who_says_that_only_one_can_be_had() -> None:
    assert found_twice(*PAIR, more={"dependency": "either this or the other one"}) == []
