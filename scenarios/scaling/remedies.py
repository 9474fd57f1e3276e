"""What a planner changes first: policies that cure bottlenecks, and the gear that policies cannot replace."""

from __future__ import annotations

import math
from dataclasses import replace

from scenarios.scaling.assumptions import USABLE_UPLINK
from scenarios.scaling.bottlenecks import BOTTLENECKS
from scenarios.scaling.budget import costed
from scenarios.scaling.estate import Standing, estate
from scenarios.scaling.items import items
from scenarios.scaling.plan import Change, Plan, Purchase
from scenarios.scaling.policies import held
from scenarios.scaling.scene import Scene
from scenarios.scaling.sizing import spine_gbps, storage_gbs

SLIGHT = 0.02
"""Part of the bandwidth below which nobody orders more."""
FULL = 0.72
"""Mean load of storage or spine above which its peaks are full too often."""


def remedies(scene: Scene) -> Plan:
    """Policies from the first month on, and switches and storage for what they leave."""
    first = scene.months[0].name
    kinds = [BOTTLENECKS[one.key] for one in scene.bottlenecks]
    changes = [
        Change(f"c{number}", first, kind.policy, kind.value)
        for number, kind in enumerate(kinds, start=1)
    ]
    return geared(scene, Plan(policies=tuple(changes)))


def geared(scene: Scene, plan: Plan) -> Plan:
    """The plan with switches and storage such that neither is too full at the end of the year.

    They are ordered in the first month; for nodes that the plan adds later, in the month of the first of them.
    """
    last = estate(scene, plan)[-1]
    total = sum(there.gpus for there in last) or 1
    hold = held(scene, plan)[-1]
    nodes = [one for one in plan.purchases if one.item.startswith("node:")]
    rows = [one for one in plan.purchases if one.item in ("power", "rack") or one in nodes]
    kept = [one for one in plan.purchases if one not in rows]
    for number, there in enumerate(last):
        name, part = there.place.site.name, there.gpus / total
        months = sorted(one.month for one in nodes if one.site == name)
        month = months[0] if months and kept else scene.months[0].name
        spines = _spines(there, spine_gbps(scene, hold, 11) * part)
        if spines:
            kept.append(Purchase(f"g-spine-{number}-{len(kept)}", month, "spine", spines, name))
        tb, tier = _storage(scene, there, storage_gbs(scene, hold, 11) * part)
        if tb:
            kept.append(Purchase(f"g-tb-{number}-{len(kept)}", month, f"storage:{tier}", tb, name))
    return _cabled(scene, _paid(scene, plan, kept, rows))


def _paid(scene: Scene, plan: Plan, gear: list[Purchase], rows: list[Purchase]) -> Plan:
    """With the gear in the first quarter that can pay for it; without it where none can."""
    for quarter in range(len(scene.quarters)):
        first = scene.months[3 * quarter].name
        moved = [replace(one, month=max(first, one.month)) for one in gear]
        tried = replace(plan, purchases=(*moved, *rows))
        found = costed(scene, tried)
        if not all(one.in_year for one in found.made):
            break
        if all(one.capex_left >= 0 for one in found.bills):
            return tried
    return replace(plan, purchases=tuple(rows))


def _cabled(scene: Scene, plan: Plan) -> Plan:
    """Without the storage that ports and power leave unconnected."""
    over = {one.place.site.name: one.storage_uncabled_tb for one in estate(scene, plan)[-1]}
    rows = []
    for one in reversed(plan.purchases):
        count = one.count
        if one.item.startswith("storage:"):
            less = min(count, math.ceil(over[one.site]))
            over[one.site] -= less
            count -= less
        if count > 0:
            rows.append(replace(one, count=count))
    return replace(plan, purchases=tuple(reversed(rows)))


def _spines(there: Standing, asked: float) -> int:
    """Switches where traffic would fill the uplinks."""
    fabric = there.place.fabric
    one = fabric.switch_ports * fabric.link_gbps * USABLE_UPLINK
    have = there.uplinks * fabric.link_gbps * USABLE_UPLINK
    free = max(0, there.down - there.uplinks) * fabric.link_gbps * USABLE_UPLINK
    short = min(asked / FULL - have, free)
    return math.ceil(short / one) if short > 0 and fabric.spine_switches else 0


def _storage(scene: Scene, there: Standing, asked: float) -> tuple[int, str]:
    """TB of the parallel tier where traffic would fill it, and its name."""
    tiers = [one for one in there.place.tiers if f"storage:{one.name}" in items(scene)]
    short = asked / FULL - there.storage_gbs
    if short <= SLIGHT * there.storage_gbs or not tiers:
        return 0, ""
    tier = tiers[0]
    return math.ceil(short * tier.capacity_tb / tier.bandwidth_gbs / 10) * 10, tier.name
