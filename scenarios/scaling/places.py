"""The sites at the start of the year, as the profile has them; a second one where the level needs it."""

from __future__ import annotations

import math
from dataclasses import replace

from scenarios.company.profile import Profile, defaults
from scenarios.company.profile.defaults import fitting
from scenarios.company.profile.tables import Fabric, NodeType, Site, StorageTier
from scenarios.company.regions import around
from scenarios.scaling.assumptions import STORAGE_KW_TB, STORAGE_TB_PORT
from scenarios.scaling.scene import Place

ROOM_BESIDE, FEWEST_BESIDE = 0.8, 3
"""Further nodes for which a second site has racks and power, over those that stand there, and the fewest."""
SECOND_RACK_KW, SECOND_PUE, SECOND_PRICE = 32.0, 1.25, 0.8
"""A second site is newer, its power cheaper: least kW of a rack, PUE, price over the first's. Assumptions."""
FEWEST_FLOOR = 2
"""A fifth of the racks more have floor, at least these. An assumption."""
SECOND_PART = 0.25
"""Nodes of a second site over those of the first, where the profile has one site alone."""


def places_of(profile: Profile, sites: int, thin_spine: bool) -> tuple[Place, ...]:
    """All sites. thin_spine: the spine of the first is smaller than its leaves could feed."""
    there = profile.facility.sites
    total = sum(one.count * one.gpus for one in profile.node_types) or 1
    found = []
    for index, site in enumerate(there):
        nodes = tuple(
            (one, one.count)
            for one in profile.node_types
            if (one.site or there[0].name) == site.name
        )
        share = sum(kind.gpus * count for kind, count in nodes) / total
        fabric = profile.fabric if index == 0 else _small(profile.fabric, nodes)
        if index == 0 and thin_spine:
            fabric = thin(fabric, sum(count for _, count in nodes))
        tiers = _tiers(profile.storage.tiers, share, index == 0)
        found.append(place(site, nodes, fabric, tiers))
    if len(found) < sites:
        found.append(_second(profile))
    return tuple(found)


def place(
    site: Site,
    nodes: tuple[tuple[NodeType, int], ...],
    fabric: Fabric,
    tiers: tuple[StorageTier, ...],
) -> Place:
    """What that leaves free at the site."""
    count = sum(n for kind, n in nodes if kind.gpus)
    down = count * fabric.rails
    other = storage_ports(tiers)
    uplinks = uplinks_of(fabric, down, other, 0)
    racks = sum(
        math.ceil(n / max(1, fitting(kind, site.rack_kw, site.rack_units))) for kind, n in nodes
    )
    power = sum(kind.power_kw * n for kind, n in nodes) + storage_kw(tiers)
    power += (fabric.leaf_switches + fabric.spine_switches) * fabric.switch_kw
    return Place(
        site=site,
        nodes=nodes,
        fabric=fabric,
        tiers=tiers,
        racks_free=max(0, site.racks - racks),
        power_free_kw=round(max(0.0, site.total_kw - power), 1),
        leaf_ports_free=max(0, fabric.leaf_switches * fabric.switch_ports - down - uplinks - other),
        spine_ports_free=max(0, fabric.spine_switches * fabric.switch_ports - uplinks),
        uplinks=uplinks,
        floor_free=max(FEWEST_FLOOR, site.racks // 5),
    )


def uplinks_of(fabric: Fabric, down: int, other: int, bought: int) -> int:
    """Uplinks that are cabled: as many as the design asks for and ports allow, on leaves and on spines.

    down: leaf ports of nodes; other: of storage; bought: spines beyond the first design, which is then
    left for one uplink per downlink.
    """
    spine = (fabric.spine_switches + bought) * fabric.switch_ports
    design = math.ceil(down / fabric.oversubscription) + bought * fabric.switch_ports
    free = fabric.leaf_switches * fabric.switch_ports - down - other
    return max(0, min(design, down, spine, free))


def storage_kw(tiers: tuple[StorageTier, ...]) -> float:
    """Draw of the storage."""
    return sum(one.capacity_tb * STORAGE_KW_TB[one.kind] for one in tiers)


def storage_ports(tiers: tuple[StorageTier, ...]) -> int:
    """Leaf ports of the parallel tiers."""
    return sum(
        math.ceil(one.capacity_tb / STORAGE_TB_PORT) for one in tiers if one.kind == "parallel"
    )


def thin(fabric: Fabric, nodes: int) -> Fabric:
    """A quarter of the spines, and the oversubscription that this makes."""
    spines = max(1, fabric.spine_switches // 4)
    down = nodes * fabric.rails
    over = max(fabric.oversubscription, down / (spines * fabric.switch_ports))
    return replace(fabric, spine_switches=spines, oversubscription=round(over, 2))


def can_be_thin(profile: Profile) -> bool:
    """Whether the profile leaves the spine to us, and a quarter of it is less than the nodes could use."""
    fabric = profile.fabric
    if profile.given.fabric is not None or fabric.spine_switches < 2:
        return False
    return thin(fabric, profile.fleet_nodes).oversubscription >= 2


def _small(fabric: Fabric, nodes: tuple[tuple[NodeType, int], ...]) -> Fabric:
    """A network for the nodes of a further site, of the same switches."""
    count = max(1, sum(n for _, n in nodes))
    usual = defaults.fabric(count, fabric.rails)
    return replace(
        fabric,
        leaf_switches=usual.leaf_switches
        * max(1, math.ceil(usual.switch_ports / fabric.switch_ports)),
        spine_switches=max(1, math.ceil(count * fabric.rails / fabric.switch_ports)),
        oversubscription=1.0,
    )


def _tiers(tiers: tuple[StorageTier, ...], share: float, first: bool) -> tuple[StorageTier, ...]:
    """Parallel storage stands where the GPUs are, everything else at the first site."""
    found = []
    for one in tiers:
        if one.kind == "parallel" and share > 0:
            found.append(_scaled(one, share))
        elif first and one.kind != "parallel":
            found.append(one)
    return tuple(found)


def _scaled(one: StorageTier, share: float) -> StorageTier:
    return replace(
        one,
        capacity_tb=round(max(0.1, one.capacity_tb * share), 1),
        used_tb=round(one.used_tb * share, 1),
        bandwidth_gbs=round(max(0.01, one.bandwidth_gbs * share), 2),
    )


def _second(profile: Profile) -> Place:
    """A site that came with a company that was taken over: a quarter of the first, and room beside it."""
    first = profile.facility.sites[0]
    largest = max(profile.node_types, key=lambda one: (one.gpus * one.count, one.name))
    count = max(2, round(largest.count * SECOND_PART))
    kind = replace(largest, name=f"{largest.name} (second site)"[:60], count=count, site="Site B")
    fabric = _small(profile.fabric, ((kind, count),))
    tiers = tuple(
        _scaled(one, count / max(1, largest.count))
        for one in profile.storage.tiers
        if one.kind == "parallel"
    )
    rack_kw = max(first.rack_kw, SECOND_RACK_KW)
    fit = fitting(kind, rack_kw, first.rack_units)
    room = max(FEWEST_BESIDE, math.ceil(count * ROOM_BESIDE))
    power = (count + room) * kind.power_kw + storage_kw(tiers)
    power += (fabric.leaf_switches + fabric.spine_switches + 2) * fabric.switch_kw
    site = Site(
        name="Site B" if first.name != "Site B" else "Site C",
        region=around(first.region).beside,
        racks=math.ceil(count / fit) + math.ceil(room / fit),
        rack_kw=rack_kw,
        total_kw=float(math.ceil(power / 5) * 5),
        rack_units=first.rack_units,
        pue=SECOND_PUE,
        price_kwh=round(first.price_kwh * SECOND_PRICE, 4),
    )
    return place(site, ((replace(kind, site=site.name), count),), fabric, tiers)
