"""What stands at each site in each month, what of it can be used, and what keeps the rest from use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from scenarios.company.profile.defaults import fitting
from scenarios.company.profile.tables import NodeType
from scenarios.scaling.assumptions import STORAGE_KW_TB, STORAGE_TB_PORT
from scenarios.scaling.items import as_type
from scenarios.scaling.orders import Order, orders
from scenarios.scaling.places import storage_kw, storage_ports
from scenarios.scaling.plan import Plan
from scenarios.scaling.scene import Place, Scene
from scenarios.scaling.work import parallel


@dataclass(slots=True)
class Group:
    """Nodes alike at a site. `there` stand in the building, `used` of them work; order: id of a purchase."""

    kind: NodeType
    there: int
    used: int
    order: str = ""
    lacks: str = ""
    """What keeps the others from use: power, ports, racks or room (no rack carries one)."""


@dataclass(slots=True)
class Standing:
    """A site in a month. Power in kW, storage in GB/s and TB; the limits are what there is.

    down: leaf ports of nodes; spines: that were bought; switches_off: those without power.
    """

    place: Place
    groups: list[Group] = field(default_factory=list)
    power_kw: float = 0.0
    power_limit_kw: float = 0.0
    leaf_ports_used: int = 0
    leaf_ports: int = 0
    down: int = 0
    uplinks: int = 0
    uplinks_wanted: int = 0
    spine_ports: int = 0
    racks_used: int = 0
    racks: int = 0
    racks_beyond: int = 0
    storage_gbs: float = 0.0
    storage_tb: float = 0.0
    storage_uncabled_tb: float = 0.0
    spines: int = 0
    switches_off: int = 0

    @property
    def nodes(self) -> int:
        return sum(one.used for one in self.groups)

    @property
    def gpus(self) -> int:
        return sum(one.used * one.kind.gpus for one in self.groups)

    @property
    def unused(self) -> int:
        """Nodes that stand there and cannot work."""
        return sum(one.there - one.used for one in self.groups)


Estate = tuple[tuple[Standing, ...], ...]
"""Month -> site -> what stands there."""


def estate(scene: Scene, plan: Plan, made: tuple[Order, ...] | None = None) -> Estate:
    """All twelve months. made: the orders, where they are not as the price book states."""
    ordered = orders(scene, plan) if made is None else made
    found = []
    for month in range(len(scene.months)):
        there = [one for one in ordered if one.arrives <= month]
        left = _left(scene, plan, month)
        found.append(tuple(_standing(place, there, left) for place in scene.places))
    return tuple(found)


def _left(scene: Scene, plan: Plan, month: int) -> dict[tuple[str, str], int]:
    """(site, node type) -> nodes that have left by then."""
    index = {one.name: one.index for one in scene.months}
    found: dict[tuple[str, str], int] = {}
    for row in plan.retire:
        if index.get(row.month, 99) <= month and row.count > 0:
            found[row.site, row.item] = found.get((row.site, row.item), 0) + row.count
    return found


def _standing(place: Place, there: list[Order], left: Mapping[tuple[str, str], int]) -> Standing:
    ours = [one for one in there if one.row.site == place.site.name]
    found = Standing(place)
    for kind, count in place.nodes:
        stays = max(0, count - left.get((place.site.name, kind.name), 0))
        found.groups.append(Group(kind, stays, stays))
    _equipped(found, ours)
    for order in ours:
        if order.item.kind == "node":
            _placed(found, order)
    _cabled(found)
    return found


def _equipped(found: Standing, ours: list[Order]) -> None:
    """Everything but nodes: what there is, and what was bought."""
    place = found.place
    bought = dict.fromkeys(("leaf", "spine", "rack", "power"), 0)
    for one in ours:
        if one.item.kind in bought:
            bought[one.item.kind] += one.row.count
    fabric, site = place.fabric, place.site
    found.power_limit_kw = site.total_kw + bought["power"]
    found.power_kw = storage_kw(place.tiers)
    found.power_kw += (fabric.leaf_switches + fabric.spine_switches) * fabric.switch_kw
    found.power_kw += sum(one.used * one.kind.power_kw for one in found.groups)
    for kind in ("spine", "leaf"):
        free = math.floor((found.power_limit_kw - found.power_kw) / fabric.switch_kw + 1e-9)
        able = min(bought[kind], max(0, free))
        found.switches_off += bought[kind] - able
        found.power_kw += able * fabric.switch_kw
        bought[kind] = able
    found.spines = bought["spine"]
    found.spine_ports = (fabric.spine_switches + bought["spine"]) * fabric.switch_ports
    linked = (
        bought["leaf"] if found.spine_ports else 0
    )  # a further leaf is an island without a spine
    found.leaf_ports = (fabric.leaf_switches + linked) * fabric.switch_ports
    found.racks = site.racks + min(bought["rack"], place.floor_free)
    found.racks_beyond = max(0, bought["rack"] - place.floor_free)
    found.down = sum(one.used for one in found.groups if one.kind.gpus) * fabric.rails
    found.uplinks = place.uplinks
    found.racks_used = sum(_racks(place, one.kind, one.used) for one in found.groups)
    found.leaf_ports_used = found.down + found.uplinks + storage_ports(place.tiers)
    found.storage_gbs = sum(one.bandwidth_gbs for one in parallel(place))
    found.storage_tb = sum(one.capacity_tb for one in parallel(place))
    for one in ours:
        if one.item.kind == "storage":
            _stored(found, one)


def _stored(found: Standing, order: Order) -> None:
    """Further storage: as much of it as has leaf ports and power; bandwidth comes with capacity."""
    name = order.item.item.partition(":")[2]
    tier = next((one for one in found.place.tiers if one.name == name), None)
    if tier is None:
        found.storage_uncabled_tb += order.row.count
        return
    ports = max(0, found.leaf_ports - found.leaf_ports_used)
    power = max(0.0, found.power_limit_kw - found.power_kw) / STORAGE_KW_TB["parallel"]
    able = float(min(order.row.count, ports * STORAGE_TB_PORT, math.floor(power + 1e-9)))
    found.storage_uncabled_tb += order.row.count - able
    found.leaf_ports_used += math.ceil(able / STORAGE_TB_PORT)
    found.power_kw += able * STORAGE_KW_TB["parallel"]
    found.storage_tb += able
    found.storage_gbs += able * tier.bandwidth_gbs / tier.capacity_tb


def _placed(found: Standing, order: Order) -> None:
    """Nodes of an order: as many as have a rack, power and leaf ports."""
    offer = as_type(order.item.offer) if order.item.offer else None
    if offer is None:
        return
    rails = found.place.fabric.rails
    fit = fitting(offer, found.place.site.rack_kw, found.place.site.rack_units)
    alike = sum(
        one.used for one in found.groups if (one.kind.name, one.order != "") == (offer.name, True)
    )
    others = found.racks_used - (math.ceil(alike / fit) if fit else 0)
    able = {
        "room": order.row.count if fit else 0,
        "racks": max(0, (found.racks - others) * fit - alike),
        "power": max(
            0, math.floor((found.power_limit_kw - found.power_kw) / offer.power_kw + 1e-9)
        ),
        "ports": max(0, (found.leaf_ports - found.leaf_ports_used) // rails),
    }
    used = min(order.row.count, *able.values())
    lacks = min(able, key=lambda name: able[name]) if used < order.row.count else ""
    found.groups.append(Group(offer, order.row.count, used, order.row.id, lacks))
    found.power_kw += used * offer.power_kw
    found.down += used * rails
    found.leaf_ports_used += used * rails
    if fit:
        found.racks_used = others + math.ceil((alike + used) / fit)


def _cabled(found: Standing) -> None:
    """Uplinks for the nodes that came, as far as both sides have ports."""
    fabric = found.place.fabric
    wanted = math.ceil(found.down / fabric.oversubscription) + found.spines * fabric.switch_ports
    found.uplinks_wanted = min(found.down, wanted)
    free = found.leaf_ports - found.leaf_ports_used + found.uplinks
    cabled = max(0, min(found.uplinks_wanted, found.spine_ports, free))
    found.leaf_ports_used += max(found.uplinks, cabled) - found.uplinks
    found.uplinks = max(found.uplinks, cabled)


def _racks(place: Place, kind: NodeType, count: int) -> int:
    return math.ceil(count / max(1, fitting(kind, place.site.rack_kw, place.site.rack_units)))
