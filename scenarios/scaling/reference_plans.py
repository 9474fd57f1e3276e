"""Two plans to measure others by: buying evenly, and a planner who knows the cluster."""

from __future__ import annotations

from functools import lru_cache

from scenarios.scaling.buying import bought
from scenarios.scaling.content import content
from scenarios.scaling.items import items
from scenarios.scaling.plan import Phase, Plan, Purchase, Risk
from scenarios.scaling.remedies import remedies
from scenarios.scaling.renting import rented
from scenarios.scaling.scene import Scene

CAREFUL = 1.1
"""Price with which the even plan reckons, over today's: a price list may come."""
__all__ = ["naive", "reference"]


@lru_cache(maxsize=64)
def naive(scene: Scene) -> Plan:
    """The own offer, evenly every quarter until the budget for purchases is spent; nothing else.

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
    return Plan(purchases=tuple(rows))


@lru_cache(maxsize=64)
def reference(scene: Scene) -> Plan:
    """Cures bottlenecks by policy first, orders in time what the demand needs, rents what is late."""
    plan = remedies(scene)
    plan = bought(scene, plan)
    plan = rented(scene, plan)
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
