"""Findings about how a plan is to be carried out: phases, risks, and all of it on one card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graders.scaling.findings import Finding, quantity
from graders.scaling.prose import any_of
from graders.scaling.tables import table
from scenarios.scaling.plan import Phase, Plan, Purchase
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import percent

BET = 0.85
"""Part of the capital in one kind of node of one month from which on it is a single bet."""
WORTH = 0.3
"""Part of the year's capital budget below which nobody calls it a bet."""
FEWEST = 3
"""Nodes below which there is nothing to divide."""
_DATA = table("execution")
_FIGURE, _READING, _INSTALL = re.compile(r"\d"), any_of(_DATA["reading"]), any_of(_DATA["install"])
_KINDS = {prefix: any_of(words) for prefix, words in _DATA["kinds"].items()}
_Orders = Mapping[str, Mapping[str, Any]]


def of_execution(scene: Scene, plan: Plan, orders: _Orders) -> list[Finding]:
    """Findings that need no year. orders: id of a purchase -> its row of the checks."""
    return [*_phases(scene, plan, orders), *_risks(plan)]


def _phases(scene: Scene, plan: Plan, orders: _Orders) -> Iterator[Finding]:
    known = {one.id: one for one in plan.phases}
    for one in plan.phases:
        row = (("phases", one.id),)
        if one.end < one.start:
            yield Finding(
                "phase_impossible", f"{_name(one)} ends before it begins.", row, one.start
            )
        for other in (known[given] for given in one.depends if given in known):
            if other.id == one.id:
                yield Finding(
                    "phase_impossible", f"{_name(one)} depends on itself.", row, one.start
                )
            elif other.end >= one.start:
                said = (
                    f"{_name(one)} begins in {one.start}, but {_name(other)}, on which it depends,"
                )
                said += f" ends in {other.end}."
                yield Finding("phase_impossible", said, (*row, ("phases", other.id)), one.start)
        yield from _before_arrival(scene, plan, one, orders)


def _name(one: Phase) -> str:
    return f"“{(one.name or one.id)[:80]}”"


def _before_arrival(scene: Scene, plan: Plan, one: Phase, orders: _Orders) -> Iterator[Finding]:
    """A phase that installs something and ends before the first of it can be there."""
    if not _INSTALL.search(one.name):
        return
    for prefix, words in _KINDS.items():
        rows = [row for row in plan.purchases if row.item.startswith(prefix) and row.id in orders]
        if not rows or not words.search(one.name):
            continue
        arrivals = [str(orders.get(row.id, {}).get("arrives", "")) or "9999-99" for row in rows]
        if one.end < min(arrivals):
            when = "after the year" if min(arrivals) == "9999-99" else f"in {min(arrivals)}"
            said = f"{_name(one)} ends in {one.end}; the first of what it installs arrives {when}."
            about = (("phases", one.id), *(("purchases", row.id) for row in rows))
            yield Finding("phase_impossible", said, about, one.end)
            return


def _risks(plan: Plan) -> Iterator[Finding]:
    for one in plan.risks:
        risk, trigger = one.risk.strip()[:100], one.trigger.strip()[:80]
        if not risk or _FIGURE.search(one.trigger) or _READING.search(one.trigger):
            continue
        said = (
            f"has a trigger that nobody can read off: “{trigger}”" if trigger else "has no trigger"
        )
        yield Finding("risk_without_trigger", f"“{risk}” {said}.", (("risks", one.id),))


def single_bet(plan: Plan, costs: Mapping[str, float], budget: float) -> list[Finding]:
    """costs: id of a purchase -> USD; budget: capital of the year in USD."""
    whole = sum(costs.values())
    if whole <= 0 or whole < WORTH * budget:
        return []
    groups: dict[tuple[str, str], list[Purchase]] = {}
    for one in plan.purchases:
        if one.item.startswith("node:"):
            groups.setdefault((one.item, one.month), []).append(one)
    for (item, month), orders in groups.items():
        ids = [one.id for one in orders]
        part = sum(costs.get(given, 0.0) for given in ids) / whole
        if part >= BET and sum(one.count for one in orders) >= FEWEST:
            asked = quantity(item, sum(one.count for one in orders))
            said = f"{percent(part)} of the capital is {asked}, ordered in {month}."
            rows = tuple(("purchases", given) for given in ids)
            return [Finding("single_bet", said, rows, month, (), (("Capital", whole, "USD"),))]
    return []
