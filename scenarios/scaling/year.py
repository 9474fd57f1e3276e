"""Plays a plan over the twelve months."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scenarios.company.profile.money import in_money
from scenarios.scaling.arrivals import WARM_DAYS, asked
from scenarios.scaling.budget import bills
from scenarios.scaling.demand import Demand
from scenarios.scaling.estate import estate
from scenarios.scaling.fleet import leases
from scenarios.scaling.measures import measured
from scenarios.scaling.months import class_rows, month_rows
from scenarios.scaling.orders import orders
from scenarios.scaling.plan import Plan
from scenarios.scaling.played import Played
from scenarios.scaling.policies import before, held
from scenarios.scaling.reasons import reasons
from scenarios.scaling.run import Run
from scenarios.scaling.scene import Scene


@dataclass(frozen=True, slots=True)
class Year:
    """months, classes, measures and why as to_dict gives them."""

    months: tuple[Mapping[str, Any], ...]
    classes: Mapping[str, Mapping[str, Any]]
    measures: Mapping[str, float]
    why: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "months": [dict(one) for one in self.months],
            "classes": {name: dict(one) for name, one in self.classes.items()},
            "measures": dict(self.measures),
            "why": [dict(one) for one in self.why],
        }


def play(scene: Scene, plan: Plan, demand: Demand) -> Year:
    """Hour by hour for twelve months. The same inputs give the same year."""
    played = played_through(scene, plan, demand)
    months = month_rows(played)
    classes = class_rows(played, months)
    measures = measured(played, months, classes)
    return Year(tuple(months), classes, measures, tuple(_why(played, months, measures)))


def _why(
    played: Played, months: list[dict[str, Any]], measures: Mapping[str, float]
) -> list[dict[str, Any]]:
    """The reasons, with amounts in the company's currency."""
    money = played.scene.profile.currency
    return [
        row | {key: in_money(row[key], money) for key in ("text", "parts")}
        for row in reasons(played, months, measures)
    ]


def played_through(scene: Scene, plan: Plan, demand: Demand) -> Played:
    """Two weeks before the year, in which queues fill on the present cluster, and the year itself."""
    made = orders(scene, plan, demand.slips, demand.price)
    stands, holds, rented = estate(scene, plan, made), held(scene, plan), leases(scene, plan)
    run = Run(scene, asked(scene, demand), market=demand.market)
    run.skip_to(-24 * WARM_DAYS)
    run.begin(estate(scene, Plan(), ())[0], before(scene), (), -1)
    run.hours(-24 * WARM_DAYS, 24 * WARM_DAYS)
    first = 0
    for month in scene.months:
        run.begin(stands[month.index], holds[month.index], rented, month.index)
        run.hours(first, month.hours)
        first += month.hours
    run.left_waiting(first)
    tallies = tuple(run.tallies[1:])
    cost = bills(scene, made, stands, rented, holds, tallies)
    return Played(scene, plan, demand, made, stands, holds, rented, tallies, cost)
