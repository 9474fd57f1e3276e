"""Two plans to measure others by: buying evenly, and a planner who knows the cluster."""

from __future__ import annotations

from functools import lru_cache

from scenarios.scaling.buying import bought
from scenarios.scaling.content import content
from scenarios.scaling.items import items
from scenarios.scaling.levels import LEVELS
from scenarios.scaling.plan import Change, Phase, Plan, Purchase, Risk
from scenarios.scaling.remedies import remedies
from scenarios.scaling.renting import rented
from scenarios.scaling.scene import Scene
from scenarios.scaling.tuning import tuned

CAREFUL = 1.1
"""Price with which the even plan reckons, over today's: a price list may come."""
__all__ = ["naive", "reference"]


@lru_cache(maxsize=64)
def naive(scene: Scene) -> Plan:
    """The own offer, evenly every quarter until the budget for purchases is spent; and, where the level has
    them, every rule that promises something for nothing, from the first month on.

    A quarter of the year's nodes each quarter, at the first site, as early as the money is there.
    """
    offer = items(scene)[f"node:{scene.offers[0].name}"]
    total = sum(one.capex_usd for one in scene.quarters)
    nodes, rows, left, spent = int(total / (offer.price_usd * CAREFUL)), [], 0.0, 0
    for number, quarter in enumerate(scene.quarters):
        left += quarter.capex_usd
        month = next(one for one in scene.months if one.quarter == quarter.quarter)
        price = offer.price_usd
        for event in scene.events:
            if event.kind == "price" and month.index >= event.month:
                price *= event.factor
        due = round(nodes * (number + 1) / len(scene.quarters)) - spent
        count = min(due, int(left / price))
        if count > 0:
            name, site = f"p{number + 1}", scene.places[0].site.name
            rows.append(Purchase(name, month.name, offer.item, count, site))
            left -= count * price
            spent += count
    return Plan(purchases=tuple(rows), policies=_plain(scene))


def _plain(scene: Scene) -> tuple[Change, ...]:
    first = scene.months[0].name
    return tuple(
        Change(f"c{number}", first, rule, value)
        for number, (rule, value) in enumerate(LEVELS[scene.level].plain, start=1)
        if scene.before.get(rule) != value
    )


@lru_cache(maxsize=64)
def reckoned(scene: Scene) -> Plan:
    """What a planner comes to who reckons and does not try: rows that change something, no more."""
    return rented(scene, bought(scene, remedies(scene)))


@lru_cache(maxsize=64)
def reference(scene: Scene) -> Plan:
    """Cures bottlenecks by policy first, orders in time what the demand needs, rents what is late; and where
    the level asks for it, what playing plans beside one another has shown to be better."""
    plan = reckoned(scene)
    if LEVELS[scene.level].tuned:
        plan = tuned(scene, plan)
    return Plan(
        purchases=plan.purchases,
        cloud=plan.cloud,
        policies=plan.policies,
        phases=_phases(scene, plan),
        risks=tuple(Risk(**row) for row in content("reference")["risks"]),
    )


def _phases(scene: Scene, plan: Plan) -> tuple[Phase, ...]:
    names = [one.name for one in scene.months]
    last = max((one.month for one in plan.purchases), default=names[1])
    found = []
    for row in content("reference")["phases"]:
        end = max(last, names[1]) if row["to"] == "last" else names[row["to"]]
        span = names[row["from"]], end
        found.append(Phase(row["id"], row["name"], *span, row["owner"], row.get("depends", ())))
    return tuple(found)
