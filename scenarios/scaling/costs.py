"""What a month costs: purchases when they are ordered, running costs, and what is written off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.scaling.assumptions import (
    FULL_DRAW,
    IDLE_DRAW,
    LINK_USD_GBPS,
    STORAGE_YEARS,
    SWITCH_YEARS,
    electricity_usd,
    running_usd,
)
from scenarios.scaling.estate import Standing
from scenarios.scaling.fleet import COMMITTED, Lease
from scenarios.scaling.orders import Order
from scenarios.scaling.scene import Scene
from scenarios.scaling.tally import Tally

ON_DEMAND_USE = 0.5
"""Part of the hours for which checks count GPUs that are paid by use. An assumption: a what-if plays it."""
USUAL_USE = 0.8
"""Part of the GPUs at work for which checks count electricity."""
PARTS = ("colocation", "electricity", "support", "licences", "engineers", "line", "cloud", "egress")
"""Parts of the running costs."""


@dataclass(frozen=True, slots=True)
class Spent:
    """One month in USD: purchases, parts of the running costs, and what is written off."""

    capex: float
    opex: Mapping[str, float]
    written_off: float

    @property
    def running(self) -> float:
        return sum(self.opex.values())


def spent(
    scene: Scene,
    month: int,
    standing: tuple[Standing, ...],
    made: tuple[Order, ...],
    rented: tuple[Lease, ...],
    link_gbps: float,
    played: Tally | None = None,
) -> Spent:
    """Costs of a month; `played` has the use of GPUs, without it the assumptions above stand for it."""
    book, hours = scene.profile.price_book, scene.months[month].hours
    opex = dict.fromkeys(PARTS, 0.0)
    groups = [group for there in standing for group in there.groups]
    opex |= running_usd(
        book,
        sum(
            one.there * one.kind.price_usd * _dearer(scene, one.kind.name, month) for one in groups
        ),
        sum(one.there * one.kind.gpus for one in groups),
        sum(one.there for one in groups),
    )
    for site, there in enumerate(standing):
        opex["colocation"] += there.power_limit_kw * book.colocation_kw_month
        kwh = played.sites[site].kwh if played is not None else _usual_kw(there) * hours
        opex["electricity"] += electricity_usd(there.place.site, kwh)
    opex["line"] = link_gbps * LINK_USD_GBPS * scene.profile.per_usd if scene.has_cloud else 0.0
    opex["cloud"] = sum(
        rent_usd(number, one, month, hours, played) for number, one in enumerate(rented)
    )
    opex["egress"] = played.egress_usd if played is not None else 0.0
    capex = sum(one.usd for one in made if one.ordered == month)
    return Spent(capex, opex, _written_off(scene, month, standing, made))


def rent_usd(number: int, lease: Lease, month: int, hours: int, played: Tally | None) -> float:
    """Rent of a row in a month: a commitment whole, others by use."""
    if not lease.first <= month <= lease.paid:
        return 0.0
    gpus = lease.gpus
    if lease.row.kind in COMMITTED:
        return gpus * hours * lease.rent.usd
    if played is not None:
        return played.rent.get(f"cloud/{number}", 0.0)
    return gpus * hours * lease.rent.usd * ON_DEMAND_USE


def _usual_kw(there: Standing) -> float:
    nodes = sum(one.used * one.kind.power_kw for one in there.groups)
    return there.power_kw - nodes + nodes * (IDLE_DRAW + (FULL_DRAW - IDLE_DRAW) * USUAL_USE)


def _dearer(scene: Scene, name: str, month: int) -> float:
    """Support of a type that the vendor has raised."""
    for one in scene.events:
        if one.kind == "end_of_support" and one.subject == name and month >= one.month:
            return one.factor
    return 1.0


def _written_off(
    scene: Scene, month: int, standing: tuple[Standing, ...], made: tuple[Order, ...]
) -> float:
    """A month's part of what stands there: nodes over their years, switches and storage over theirs."""
    book, total = scene.profile.price_book, 0.0
    for there in standing:
        place = there.place
        total += sum(
            count * (kind.price_usd + book.cabling_node) / kind.depreciation_years
            for kind, count in place.nodes
        )
        switches = place.fabric.leaf_switches + place.fabric.spine_switches
        total += switches * book.switch_usd / SWITCH_YEARS
        total += sum(
            one.capacity_tb * book.storage_tb / STORAGE_YEARS
            for one in place.tiers
            if one.kind == "parallel"
        )
    for one in made:
        if one.arrives <= month:
            years = SWITCH_YEARS if one.item.kind in ("leaf", "spine") else STORAGE_YEARS
            total += one.usd / years
    return total / 12
