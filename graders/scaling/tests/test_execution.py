from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from graders.scaling.execution import of_execution, single_bet
from scenarios.scaling.plan import Phase, Plan, Purchase, Risk
from scenarios.scaling.scene import Scene

NOWHERE = cast(Scene, None)
"""These findings ask nothing of a scene."""
ORDERS = {
    "p1": {"id": "p1", "arrives": "2026-07"},
    "p2": {"id": "p2", "arrives": ""},
}
PLAN = Plan(
    purchases=(
        Purchase("p1", "2026-03", "node:H100 node", 8, "Site A"),
        Purchase("p2", "2026-11", "spine", 2, "Site A"),
    )
)


def found(plan: Plan) -> list[tuple[str, list[str], str]]:
    rows = of_execution(NOWHERE, plan, ORDERS)
    return [(one.finding, [given for _, given in one.rows], one.text) for one in rows]


def phases(*rows: Phase) -> list[tuple[str, list[str], str]]:
    return found(replace(PLAN, phases=rows))


def test_phases_in_order_are_not_found() -> None:
    first = Phase("a", "Change rules", "2026-01", "2026-02")
    second = Phase("b", "Install the nodes", "2026-07", "2026-08", "", ("a", "gone"))
    assert phases(first, second) == []


def test_a_phase_that_begins_before_what_it_depends_on_ends() -> None:
    first = Phase("a", "Prepare", "2026-01", "2026-04")
    ((kind, ids, text),) = phases(first, Phase("b", "Build", "2026-04", "2026-05", "", ("a",)))
    assert (kind, ids) == ("phase_impossible", ["b", "a"])
    assert "2026-04" in text


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (Phase("a", "Build", "2026-05", "2026-04"), "ends before it begins"),
        (Phase("a", "Build", "2026-05", "2026-06", "", ("a",)), "depends on itself"),
        (Phase("a", "Install nodes", "2026-04", "2026-06"), "arrives in 2026-07"),
        (Phase("a", "Commission the spines", "2026-04", "2026-12"), "arrives after the year"),
    ],
)
def test_what_cannot_be_is_said(phase: Phase, said: str) -> None:
    ((kind, _, text),) = phases(phase)
    assert kind == "phase_impossible"
    assert said in text


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("", True),
        ("When it gets worse", True),
        ("p95 above 24 h for two weeks", False),
        ("The vendor announces a delay", False),
    ],
)
def test_a_trigger_is_a_reading(trigger: str, expected: bool) -> None:
    risk = Risk("r1", "Deliveries slip", "low", "high", "Rent", "Ops", trigger)
    rows = found(Plan(risks=(risk,)))
    assert [kind for kind, _, _ in rows] == ["risk_without_trigger"] * expected


def test_a_row_that_names_no_risk_is_a_draft() -> None:
    assert found(Plan(risks=(Risk("r1", "", "low", "low", ""),))) == []


def test_all_on_one_card() -> None:
    costs = {"p1": 2_500_000.0, "p2": 76_000.0}
    (bet,) = single_bet(PLAN, costs, 3_000_000)
    assert bet.rows == (("purchases", "p1"),)
    assert single_bet(PLAN, costs, 30_000_000) == []
    later = replace(PLAN.purchases[0], id="p3", month="2026-06")
    spread = replace(PLAN, purchases=(*PLAN.purchases, later))
    assert single_bet(spread, {**costs, "p3": 2_500_000.0}, 3_000_000) == []
    assert single_bet(Plan(), {}, 1.0) == []
    two = Plan(purchases=(replace(PLAN.purchases[0], count=2),))
    assert single_bet(two, costs, 3_000_000) == []
