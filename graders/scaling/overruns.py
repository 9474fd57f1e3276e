"""Which rows of a plan a check is about, and running costs beyond the budget in the hidden years."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graders.scaling.findings import Finding
from graders.scaling.orders import MOST
from scenarios.scaling.checks import Check
from scenarios.scaling.fleet import leases
from scenarios.scaling.orders import orders
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Scene

Json = dict[str, Any]
Rows = tuple[tuple[str, str], ...]
PARTS: Mapping[str, str] = {
    "Order": "purchases",
    "Rent": "cloud",
    "Retirement": "retire",
    "Change": "policies",
    "Phase": "phases",
    "In": "cloud",
}
"""First word of a check's sentence -> the part of the plan that its row is in; others are of purchases. In: of
the month in which the line to the cloud carries too little."""
OF_SITE: Mapping[str, tuple[str, ...]] = {
    "no_floor": ("rack",),
    "storage_uncabled": ("storage",),
    "no_power": ("leaf", "spine"),
}
"""Key of a check on a whole site -> kinds of items that it is about."""


def rows_of(scene: Scene, plan: Plan, check: Check) -> Rows:
    """Rows of the plan, as (part, id), that the check is about: ids of two parts may be the same."""
    part = PARTS.get(check.text.split(" ", 1)[0], "purchases")
    if any(row.id == check.subject for row in getattr(plan, part)):
        return ((part, check.subject),)
    made = orders(scene, plan)
    if check.key == "capex":
        return tuple(
            ("purchases", one.row.id)
            for one in made
            if scene.months[one.ordered].quarter == check.subject
        )
    kinds = OF_SITE.get(check.key, ())
    return tuple(
        ("purchases", one.row.id)
        for one in made
        if one.item.kind in kinds and one.row.site == check.subject
    )


def running_costs(scene: Scene, plan: Plan, years: Sequence[Json]) -> Iterator[Finding]:
    """A finding for each quarter whose running costs are beyond the budget in most hidden years.

    What is paid by use is known only from the years: checks count it for half of the hours.
    """
    for quarter in scene.quarters:
        name = quarter.quarter
        over = [-left for left in (_left(year, name) for year in years) if left < -0.5]
        if len(over) <= MOST * len(years):
            continue
        beyond = sum(over) / len(over)
        text = (
            f"{name}: running costs are above the {quarter.opex_usd:,.0f} USD of the budget in {len(over)} of"
            f" {len(years)} hidden years, in these by {beyond:,.0f} USD on average."
        )
        figure = ("Running costs above the budget", beyond, "USD")
        yield Finding("over_budget", text, _paid(scene, plan, name), "", (), (figure,), name)


def _left(year: Json, quarter: str) -> float:
    """USD that the quarter's budget for running costs has left after its last month."""
    return float(
        [
            month["money"]["opex_left_usd"]
            for month in year["months"]
            if month["quarter"] == quarter
        ][-1]
    )


def _paid(scene: Scene, plan: Plan, quarter: str) -> Rows:
    """Rents that are paid in the quarter."""
    months = [month.index for month in scene.months if month.quarter == quarter]
    return tuple(
        ("cloud", one.row.id)
        for one in leases(scene, plan)
        if one.first <= months[-1] and months[0] <= one.paid
    )
