"""What a played year leaves behind, for those who report on it."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.scaling.budget import Bill
from scenarios.scaling.demand import Demand
from scenarios.scaling.estate import Estate
from scenarios.scaling.fleet import Lease
from scenarios.scaling.orders import Order
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import Held
from scenarios.scaling.scene import Scene
from scenarios.scaling.tally import Tally


@dataclass(frozen=True, slots=True)
class Played:
    """holds and rented: policies by month and leases of the plan; tallies and bills: one for each month."""

    scene: Scene
    plan: Plan
    demand: Demand
    made: tuple[Order, ...]
    stands: Estate
    holds: tuple[Held, ...]
    rented: tuple[Lease, ...]
    tallies: tuple[Tally, ...]
    bills: tuple[Bill, ...]
