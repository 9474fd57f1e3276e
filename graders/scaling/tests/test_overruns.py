"""Which rows a check is about, and running costs over the budget as the hidden years have them."""

from __future__ import annotations

from typing import Any

from graders.scaling.overruns import rows_of, running_costs
from scenarios.company.profile import DEFAULT
from scenarios.scaling.checks import checks
from scenarios.scaling.draw import scene_of
from scenarios.scaling.plan import Plan, Purchase, Rented, Retired, Risk

SCENE = scene_of(DEFAULT, "mid", 7)
RENT = Rented("r1", "2026-02", "2026-04", "reserved_1y", 48, "Frankfurt")


def about(plan: Plan) -> dict[str, tuple[tuple[str, str], ...]]:
    rows = checks(SCENE, plan).rows
    return {one.key: rows_of(SCENE, plan, one) for one in rows if one.tone == "bad"}


def test_rows_of_two_parts_may_have_the_same_id() -> None:
    plan = Plan(
        cloud=(RENT,),
        retire=(Retired("r1", "2026-02", "no such node", 1, "Site A"),),
        risks=(Risk("r1", "Late", "low", "low", ""),),
    )
    found = about(plan)
    assert found["unknown_nodes"] == (("retire", "r1"),)
    assert found["no_data_path"] == (("cloud", "r1"),)


def test_a_quarter_over_the_budget_names_its_orders() -> None:
    plan = Plan(
        purchases=(
            Purchase("p1", "2026-01", "node:H200 node", 9, "Site A"),
            Purchase("p2", "2026-07", "leaf", 1, "Site A"),
            Purchase("p3", "2026-03", "rack", 40, "Site A"),
        )
    )
    rows = [one for one in checks(SCENE, plan).rows if one.key == "capex" and one.tone == "bad"]
    assert rows_of(SCENE, plan, rows[0]) == (("purchases", "p1"), ("purchases", "p3"))
    assert about(plan)["no_floor"] == (("purchases", "p3"),)
    assert about(plan)["no_power"] == (("purchases", "p1"),)


def year(**left: float) -> dict[str, Any]:
    """A year that leaves so much of a quarter's budget for running costs."""
    return {
        "months": [
            {
                "quarter": month.quarter,
                "money": {"opex_left_usd": left.get(month.quarter[-2:], 1.0)},
            }
            for month in SCENE.months
        ]
    }


def test_running_costs_are_over_where_most_hidden_years_say_so() -> None:
    plan = Plan(cloud=(RENT,))
    years = [year(Q1=-100_000.0, Q2=-5.0), year(Q1=-300_000.0), year()]
    found = list(running_costs(SCENE, plan, years))
    assert [(one.subject, one.rows) for one in found] == [("2026-Q1", (("cloud", "r1"),))]
    assert "in 2 of 3 hidden years, in these by 200,000 USD on average" in found[0].text


def test_half_of_the_hours_on_demand_is_no_finding() -> None:
    """Checks count them so; the years know how much was really used."""
    plan = Plan(cloud=(RENT,))
    assert any(one.key == "opex" and one.tone == "bad" for one in checks(SCENE, plan).rows)
    assert list(running_costs(SCENE, plan, [year(), year(), year(Q1=-1e6)])) == []
