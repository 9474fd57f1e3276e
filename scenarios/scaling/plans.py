"""Two plans to measure others by: buying evenly, and a planner who knows the cluster."""

from __future__ import annotations

from functools import lru_cache

from scenarios.scaling.buying import bought
from scenarios.scaling.curing import cures
from scenarios.scaling.items import items
from scenarios.scaling.plan import Phase, Plan, Purchase, Risk
from scenarios.scaling.renting import rented
from scenarios.scaling.scene import Scene

__all__ = ["naive", "reference"]


@lru_cache(maxsize=64)
def naive(scene: Scene) -> Plan:
    """The own offer, evenly every quarter until the budget for purchases is spent; nothing else.

    A quarter of the year's nodes each quarter, at the first site, as early as the money is there.
    """
    offer = items(scene)[f"node:{scene.offers[0].name}"]
    total = sum(one.capex_usd for one in scene.quarters)
    nodes, rows, left, spent = int(total / (offer.price_usd * 1.1)), [], 0.0, 0
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
    plan = cures(scene)
    plan = bought(scene, plan)
    plan = rented(scene, plan)
    return Plan(
        purchases=plan.purchases,
        cloud=plan.cloud,
        policies=plan.policies,
        phases=_phases(scene, plan),
        risks=_risks(scene),
    )


def _phases(scene: Scene, plan: Plan) -> tuple[Phase, ...]:
    names = [one.name for one in scene.months]
    last = max((one.month for one in plan.purchases), default=names[1])
    return (
        Phase("f1", "Change policies and measure their effect", names[0], names[1], "Operations"),
        Phase(
            "f2",
            "Order what takes longest: power, switches, storage",
            names[0],
            names[0],
            "Planning",
        ),
        Phase("f3", "Order nodes", names[1], max(last, names[1]), "Planning", ("f2",)),
        Phase("f4", "Install and burn in", names[2], names[10], "Operations"),
        Phase("f5", "Review demand against the plan", names[3], names[11], "Planning", ("f1",)),
    )


def _risks(scene: Scene) -> tuple[Risk, ...]:
    return (
        Risk(
            "r1",
            "Nodes come later than stated",
            "medium",
            "high",
            "Rent GPUs on demand until they are there",
            "Planning",
            "A delivery date slips by two weeks or more",
        ),
        Risk(
            "r2",
            "Demand grows faster than the median",
            "medium",
            "medium",
            "Bring the next order forward, extend the reservation",
            "Planning",
            "Demand of a class is 10 % above the median in two months",
        ),
        Risk(
            "r3",
            "Serving lacks GPUs at the launch",
            "medium",
            "high",
            "Raise the GPUs kept for serving",
            "Operations",
            "Late requests above 1 % on two days",
        ),
    )
