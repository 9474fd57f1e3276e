"""What a planner buys: nodes when money, power, ports and racks allow and demand asks for them."""

from __future__ import annotations

import math
from dataclasses import replace

from scenarios.company.profile.defaults import fitting
from scenarios.company.profile.tables import Offer
from scenarios.scaling.budget import costed
from scenarios.scaling.estate import estate
from scenarios.scaling.items import Item, as_type, items
from scenarios.scaling.orders import Order, orders, usable
from scenarios.scaling.plan import Plan, Purchase
from scenarios.scaling.policies import held
from scenarios.scaling.remedies import geared
from scenarios.scaling.scene import Place, Scene
from scenarios.scaling.sizing import capacity, needed
from scenarios.scaling.speeds import speed

BUSY = 0.74
"""Part of the GPUs at work that a planner aims at: above, waits grow fast."""
SIGMAS = 0.4
LAST_USEFUL = 11
"""Index of the last month in which it is worth having something in use for the first time."""
POWER_SPARE = 1.05
WITH_GEAR = 1.07
"""Price of a node with the storage and switches that it will need, over its own."""
LATER = 4
"""Months after the year that count for what is bought within it."""


def bought(scene: Scene, plan: Plan) -> Plan:
    """The plan with power, racks and nodes."""
    plan = _room(scene, plan)
    for month in range(len(scene.months)):
        plan = _nodes(scene, plan, month)
    fitted = geared(scene, plan)
    for leaves in range(3):
        tried = replace(fitted, purchases=(*_leaves(scene, fitted, leaves), *fitted.purchases))
        found = costed(scene, tried)
        unused = any(there.unused for standing in found.stands for there in standing)
        if not unused and all(one.capex_left >= 0 for one in found.bills):
            return tried
    return plan


def _leaves(scene: Scene, plan: Plan, count: int) -> list[Purchase]:
    """So many leaf switches at each site whose nodes lack ports."""
    last = estate(scene, plan)[-1]
    short = [
        there.place.site.name
        for there in last
        if any(group.lacks == "ports" for group in there.groups)
    ]
    first = scene.months[0].name
    return [Purchase(f"g-leaf-{site}", first, "leaf", count, site) for site in short if count]


def left_usd(scene: Scene, plan: Plan, month: int) -> float:
    """USD for purchases that may be spent in a month, without what later orders need."""
    quarter = scene.months[month].quarter
    return min(one.capex_left for one in costed(scene, plan).bills if one.quarter == quarter)


def _candidates(scene: Scene, month: int) -> list[tuple[float, Offer, Item, int]]:
    """Offers that arrive in time, by work done in the year for a dollar; best first."""
    found = []
    for offer in scene.offers:
        item = items(scene)[f"node:{offer.name}"]
        arrives = usable(scene, month, item.weeks)
        if arrives <= LAST_USEFUL and item.sites:
            work = offer.gpus * speed(offer.gpu, scene.profile.gpu)
            found.append(((12 - arrives + LATER) * work / item.price_usd, offer, item, arrives))
    return sorted(found, key=lambda one: (-one[0], one[2].item))


def _room(scene: Scene, plan: Plan) -> Plan:
    """Power, leaves and racks, ordered in the first month, for the nodes that the year's money buys."""
    candidates = _candidates(scene, 3)
    if not candidates:
        return plan
    item = candidates[0][2]
    total = sum(one.capex_usd for one in scene.quarters[:3])
    total -= sum(one.usd for one in orders(scene, plan))
    count = max(0, math.floor(total / item.price_usd))
    count = min(count, _wanted(scene, plan, item))
    places = [one for one in scene.places if one.site.name in item.sites]
    if not places:
        return plan
    best = max(places, key=lambda one: (one.power_free_kw, one.site.name))
    for _ in range(6):
        fits = sum(_tried(scene, plan, one.site.name, item, 10_000)[0] for one in places)
        missing = count - fits
        if missing <= 0:
            break
        _, lacks = _tried(scene, plan, best.site.name, item, 10_000)
        row = _enabler(scene, best, item, lacks, missing, len(plan.purchases))
        if row is None:
            break
        plan = replace(plan, purchases=(*plan.purchases, row))
    return plan


def _enabler(
    scene: Scene, place: Place, item: Item, lacks: str, missing: int, number: int
) -> Purchase | None:
    """What takes a lack away for so many nodes, if it comes in time."""
    fabric, offer = place.fabric, item.offer
    if offer is None:
        return None
    if lacks == "power":
        key, count = "power", math.ceil(missing * offer.power_kw * POWER_SPARE)
    elif lacks == "ports":
        key, count = "leaf", math.ceil(missing * 2 * fabric.rails / fabric.switch_ports)
    elif lacks == "racks":
        fit = max(1, fitting(as_type(offer), place.site.rack_kw, place.site.rack_units))
        key, count = "rack", min(place.floor_free, math.ceil(missing / fit))
    else:
        return None
    late = usable(scene, 0, items(scene)[key].weeks) > LAST_USEFUL - 1
    if late or count < 1:
        return None
    return Purchase(f"g-{key}-{number}", scene.months[0].name, key, count, place.site.name)


def _tried(scene: Scene, plan: Plan, site: str, item: Item, count: int) -> tuple[int, str]:
    """Of so many nodes, those that a site can use at the end of the year, and what the others lack."""
    row = Purchase("try", scene.months[0].name, item.item, count, site)
    last = estate(scene, replace(plan, purchases=(*plan.purchases, row)))[-1]
    found = [group for there in last for group in there.groups if group.order == "try"]
    return sum(one.used for one in found), found[0].lacks if found else ""


def _nodes(scene: Scene, plan: Plan, month: int) -> Plan:
    """As many nodes as can be paid, used and are needed when they arrive."""
    for _, _, item, _ in _candidates(scene, month):
        price = _price(scene, item, month)
        money = int(max(0.0, left_usd(scene, plan, month)) / (price * WITH_GEAR))
        count = min(money, _wanted(scene, plan, item))
        for place in _sites(scene, item):
            able = _able(scene, plan, place, item, month, count) if count > 0 else 0
            if able > 0:
                name = f"n{month + 1}-{len(plan.purchases)}"
                row = Purchase(name, scene.months[month].name, item.item, able, place)
                plan = replace(plan, purchases=(*plan.purchases, row))
                count -= able
    return plan


def _price(scene: Scene, item: Item, month: int) -> float:
    row = Purchase("try", scene.months[month].name, item.item, 1, item.sites[0])
    made: tuple[Order, ...] = orders(scene, Plan(purchases=(row,)))
    return made[0].usd if made else math.inf


def _sites(scene: Scene, item: Item) -> list[str]:
    """Cheapest power first."""
    places = [one for one in scene.places if one.site.name in item.sites]
    places.sort(key=lambda one: (one.site.pue * one.site.price_kwh, one.site.name))
    return [one.site.name for one in places]


def _wanted(scene: Scene, plan: Plan, item: Item) -> int:
    """Nodes that demand asks for at the end of the year beyond what is there."""
    holds = held(scene, plan)
    gpus = sum(needed(scene, holds[11], 11, SIGMAS).values())
    short = gpus / BUSY - capacity(scene, estate(scene, plan)[-1])
    offer = item.offer
    one = offer.gpus * speed(offer.gpu, scene.profile.gpu) if offer else 1.0
    return max(0, math.ceil(short / one))


def _able(scene: Scene, plan: Plan, site: str, item: Item, month: int, count: int) -> int:
    """Of so many nodes, those that can be used from their arrival on without taking room of earlier orders."""
    while count > 0:
        row = Purchase("try", scene.months[month].name, item.item, count, site)
        stands = estate(scene, replace(plan, purchases=(*plan.purchases, row)))
        unused = max(there.unused for standing in stands for there in standing)
        if not unused:
            break
        count -= unused
    return max(0, count)
