"""What a plan costs by month, beside the budget by quarter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.scaling.costs import Spent, spent
from scenarios.scaling.estate import Estate, estate
from scenarios.scaling.fleet import Lease, leases
from scenarios.scaling.orders import Order, orders
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import Held, held
from scenarios.scaling.scene import Scene
from scenarios.scaling.tally import Tally


@dataclass(frozen=True, slots=True)
class Bill:
    """One month. capex_left, opex_left: USD that its quarter has left after it, below 0 where it is over.

    What a quarter leaves of the budget for purchases may be spent in the next; running costs may not be moved.
    """

    spent: Spent
    quarter: str
    capex_left: float
    opex_left: float

    @property
    def over(self) -> bool:
        return self.capex_left < -0.5 or self.opex_left < -0.5


def bills(
    scene: Scene,
    made: tuple[Order, ...],
    stands: Estate,
    rented: tuple[Lease, ...],
    holds: tuple[Held, ...],
    tallies: Sequence[Tally] = (),
) -> tuple[Bill, ...]:
    """All months; without tallies by the assumptions of the checks."""
    found: list[Bill] = []
    given = {one.quarter: one for one in scene.quarters}
    capex = opex = 0.0
    last = ""
    for month in scene.months:
        index = month.index
        played = tallies[index] if tallies else None
        link = holds[index].link_gbps
        cost = spent(scene, index, stands[index], made, rented, link, played)
        if month.quarter != last:
            capex = max(0.0, capex) + given[month.quarter].capex_usd
            opex = given[month.quarter].opex_usd
            last = month.quarter
        capex -= cost.capex
        opex -= cost.running
        found.append(Bill(cost, month.quarter, capex, opex))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Costed:
    """A plan reckoned without playing it: its orders, what stands, rents, policies, bills."""

    made: tuple[Order, ...]
    stands: Estate
    rented: tuple[Lease, ...]
    holds: tuple[Held, ...]
    bills: tuple[Bill, ...]


def costed(scene: Scene, plan: Plan) -> Costed:
    """By the prices and lead times that are stated."""
    made, rented, holds = orders(scene, plan), leases(scene, plan), held(scene, plan)
    stands = estate(scene, plan, made)
    return Costed(made, stands, rented, holds, bills(scene, made, stands, rented, holds))
