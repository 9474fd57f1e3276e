"""What anyone would check while planning: money, power, ports, racks, lead times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from scenarios.company.profile.money import in_currency
from scenarios.scaling.budget import Bill, Costed, costed
from scenarios.scaling.checking import Check
from scenarios.scaling.checking_cloud import cloud_checks
from scenarios.scaling.checking_rows import row_checks
from scenarios.scaling.checking_sites import money_checks, site_checks
from scenarios.scaling.estate import Standing
from scenarios.scaling.orders import Order
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import picked

__all__ = ["Check", "Checked", "checks"]

_TONES = {"bad": 0, "warn": 1, "ok": 2}


@dataclass(frozen=True, slots=True)
class Checked:
    """All of them, and the figures they follow from, as to_dict gives them."""

    rows: tuple[Check, ...]
    months: tuple[Mapping[str, Any], ...]
    quarters: tuple[Mapping[str, Any], ...]
    orders: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "rows": [asdict(one) for one in self.rows],
            "months": [dict(one) for one in self.months],
            "quarters": [dict(one) for one in self.quarters],
            "orders": [dict(one) for one in self.orders],
        }


def checks(scene: Scene, plan: Plan) -> Checked:
    """Check the plan; takes milliseconds and never raises on a plan that was read."""
    found = costed(scene, plan)
    rows = [
        *row_checks(scene, plan, found.made),
        *site_checks(scene, found.stands),
        *cloud_checks(scene, plan, found.rented, found.holds),
        *money_checks(scene, found.bills, found.rented),
    ]
    money = scene.profile.currency
    rows = [replace(one, text=in_currency(one.text, money)) for one in rows]
    rows.sort(key=lambda one: (_TONES[one.tone], one.month, one.key, one.subject))
    return Checked(
        rows=tuple(rows),
        months=tuple(_month(scene, found, index) for index in range(len(scene.months))),
        quarters=tuple(_quarters(scene, found.bills)),
        orders=tuple(_orders(scene, found.made)),
    )


def _month(scene: Scene, found: Costed, index: int) -> dict[str, Any]:
    bill = found.bills[index]
    return {
        "month": scene.months[index].name,
        "quarter": scene.months[index].quarter,
        "sites": {there.place.site.name: _site(there) for there in found.stands[index]},
        "cloud_gpus": sum(one.gpus for one in found.rented if one.first <= index <= one.last),
        "capex_usd": round(bill.spent.capex, 2),
        "opex_usd": round(bill.spent.running, 2),
        "opex_parts": {name: round(value, 2) for name, value in bill.spent.opex.items()},
        "written_off_usd": round(bill.spent.written_off, 2),
        "capex_left_usd": round(bill.capex_left, 2),
        "opex_left_usd": round(bill.opex_left, 2),
    }


def _site(there: Standing) -> dict[str, Any]:
    return {
        "nodes": there.nodes,
        "unused_nodes": there.unused,
        "gpus": there.gpus,
        "power_kw": round(there.power_kw, 1),
        "power_limit_kw": round(there.power_limit_kw, 1),
        **picked(there, "leaf_ports_used leaf_ports uplinks uplinks_wanted"),
        "spine_ports_used": there.uplinks,
        **picked(there, "spine_ports racks_used racks"),
        "storage_tb": round(there.storage_tb, 1),
        "storage_gbs": round(there.storage_gbs, 1),
    }


def _quarters(scene: Scene, cost: tuple[Bill, ...]) -> list[dict[str, Any]]:
    """capex_budget_usd holds what the quarter before left; carried_usd is that part of it."""
    found, carried = [], 0.0
    for quarter in scene.quarters:
        own = [one for one in cost if one.quarter == quarter.quarter]
        capex = sum(one.spent.capex for one in own)
        found.append(
            {
                "quarter": quarter.quarter,
                "capex_usd": round(capex, 2),
                "capex_budget_usd": round(quarter.capex_usd + carried, 2),
                "carried_usd": round(carried, 2),
                "opex_usd": round(sum(one.spent.running for one in own), 2),
                "opex_budget_usd": round(quarter.opex_usd, 2),
            }
        )
        carried = max(0.0, quarter.capex_usd + carried - capex)
    return found


def _orders(scene: Scene, made: tuple[Order, ...]) -> list[dict[str, Any]]:
    found = []
    for one in made:
        arrives = scene.months[one.arrives].name if one.in_year else ""
        when = f"in use from {arrives}" if arrives else "of use only after the year"
        text = (
            f"{one.item.quantity(one.row.count)} at {one.row.site}: {when}, {one.item.weeks} weeks."
        )
        found.append({"id": one.row.id, "arrives": arrives, "text": text, "usd": round(one.usd, 2)})
    return found
