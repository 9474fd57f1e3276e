"""What the optional tables say where a profile leaves them out: a realistic company around its cluster.

For 20 nodes of 8 H100 the figures are those of the domain handbook: 2.4 (power, fabric), 2.8 (colocation) and
2.9 (prices, lead times, the worked anchor of about 8.5 million USD); for others they are scaled from these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from scenarios.company.profile.gpus import NO_MODELS, Build, GpuModel, build_of
from scenarios.company.profile.tables import (
    Budget,
    ClassGrowth,
    Fabric,
    Facility,
    Growth,
    NodeType,
    Offer,
    PolicyValue,
    PriceBook,
    Quarter,
    Site,
    Storage,
    StorageTier,
    Team,
)
from scenarios.company.regions import BY_CURRENCY, USUAL, around

DATED = "2026-01-15"
PORTS = 64
RACK_UNITS = 42
UNIT = 32
"""Nodes of one scalable unit: as many as a leaf of 64 ports has downlinks where uplinks match them."""


class Cluster(Protocol):
    """What the defaults are made from."""

    @property
    def nodes(self) -> int: ...
    @property
    def gpus_per_node(self) -> int: ...
    @property
    def gpu(self) -> str: ...
    @property
    def all_nodes(self) -> int: ...
    @property
    def own_models(self) -> dict[str, GpuModel]: ...
    @property
    def per_usd(self) -> float: ...
    @property
    def currency(self) -> str: ...
    @property
    def ondemand_node_hour(self) -> float: ...
    @property
    def spot_node_hour(self) -> float: ...


def node_types(cluster: Cluster) -> tuple[NodeType, ...]:
    """All nodes of one type."""
    name = f"{cluster.gpu} nodes"
    gpus, own = cluster.gpus_per_node, cluster.own_models
    return (node_type(name, cluster.all_nodes, cluster.gpu, gpus, own, cluster.per_usd),)


def node_type(
    name: str,
    count: int,
    gpu: str,
    gpus: int,
    own: Mapping[str, GpuModel] = NO_MODELS,
    rate: float = 1.0,
) -> NodeType:
    """Usual nodes with that many GPUs of a model; `rate`: units of money for a dollar, not for `own`."""
    build = build_of(gpu, gpus, own)
    return NodeType(
        name=name,
        count=count,
        gpu=gpu,
        gpus=0 if gpu == "none" else gpus,
        cpus=build.cpus,
        memory_gib=build.memory_gib,
        nvme_tb=build.nvme_tb,
        power_kw=build.power_kw,
        rack_units=build.rack_units,
        price_usd=build.price_usd if gpu in own else round(build.price_usd * rate, 2),
    )


def fabric(nodes: int, rails: int) -> Fabric:
    """A rail-optimised fat tree of 64-port switches without oversubscription (domain handbook 2.4)."""
    units = math.ceil(nodes / UNIT)
    leaves, uplinks = rails * units, math.ceil(nodes / units)
    least = math.ceil(leaves * uplinks / PORTS)
    return Fabric(
        kind="InfiniBand",
        rails=rails,
        link_gbps=400,
        leaf_switches=leaves,
        spine_switches=1 << (least - 1).bit_length(),  # uplinks then divide evenly over spines
        switch_ports=PORTS,
        oversubscription=1.0,
        switch_kw=0.75,
    )


def storage(nodes: int, rate: float = 1.0) -> Storage:
    """Parallel storage for reads and checkpoints, home folders, objects and an archive."""
    scale = nodes / 20
    tiers = (
        ("Scratch", "parallel", 1000.0, 0.68, 120.0, 12.0),
        ("Home", "nfs", 120.0, 0.55, 4.0, 18.0),
        ("Datasets", "object", 2500.0, 0.61, 30.0, 6.0),
        ("Archive", "archive", 4000.0, 0.40, 2.0, 2.0),
    )
    return Storage(
        tuple(
            StorageTier(
                name=name,
                kind=kind,
                capacity_tb=round(size * scale, 1),
                bandwidth_gbs=round(fast * scale, 2),
                price_tb_month=round(price * rate, 4),
                used_tb=round(size * used * scale, 1),
            )
            for name, kind, size, used, fast, price in tiers
        )
    )


def facility(types: tuple[NodeType, ...], net: Fabric, cluster: Cluster) -> Facility:
    """One colocation site: two nodes of the tallest draw in a rack and an eighth of its power to spare."""
    nodes = sum(one.count for one in types)
    rack_kw = float(math.ceil(2 * max(one.power_kw for one in types) + 1.5))
    units = max(RACK_UNITS, *(one.rack_units for one in types))
    racks = sum(math.ceil(one.count / fitting(one, rack_kw, units)) for one in types)
    needed = sum(one.count * one.power_kw for one in types) + nodes  # a kW of storage for each node
    needed += (net.leaf_switches + net.spine_switches) * net.switch_kw
    site = Site(
        name="Site A",
        region=BY_CURRENCY.get(cluster.currency, USUAL),
        racks=racks + math.ceil(nodes / 8),
        rack_kw=rack_kw,
        total_kw=float(math.ceil(needed * 1.125 / 10) * 10),
        rack_units=units,
        price_kwh=round(0.11 * cluster.per_usd, 4),
    )
    return Facility(
        node_weeks=14,
        switch_weeks=12,
        storage_weeks=10,
        rack_weeks=8,
        power_weeks=30,
        sites=(site,),
    )


def fitting(kind: NodeType, rack_kw: float, rack_units: int) -> int:
    """How many such nodes one rack holds: its power and its height allow."""
    return min(int(rack_kw / kind.power_kw + 1e-9), rack_units // kind.rack_units)


def price_book(cluster: Cluster, types: tuple[NodeType, ...]) -> PriceBook:
    """Prices of January 2026, or of when the newest node was bought; rents follow [prices]."""
    newest = max(one.purchased for one in types)
    rent, rate = cluster.ondemand_node_hour / cluster.gpus_per_node, cluster.per_usd
    return PriceBook(
        dated=DATED if newest <= DATED[:7] else f"{newest}-28",
        on_demand_gpu_hour=round(rent, 4),
        reserved_1y_gpu_hour=round(rent * 0.65, 4),
        reserved_3y_gpu_hour=round(rent * 0.45, 4),
        spot_gpu_hour=round(cluster.spot_node_hour / cluster.gpus_per_node, 4),
        switch_usd=round(38_000.0 * rate, 4),
        cabling_node=round(10_500.0 * rate, 4),
        storage_tb=round(650.0 * rate, 4),
        colocation_kw_month=round(184.0 * rate, 4),
        support_percent=6.0,
        licence_gpu_year=round(4500.0 * rate, 4),
        egress_gb=round(0.09 * rate, 4),
        engineer_year=round(190_000.0 * rate, 4),
        offers=_offers(cluster),
    )


_MARKET = {"H100": 10, "H200": 14, "B200": 30}
_BESIDE = {"MI300X": {"MI325X": 16, "MI355X": 30}, "L40S": {"H200": 14, "B200": 30}}
"""What else is sold to who has such GPUs -> weeks; the market otherwise."""


def _offers(cluster: Cluster) -> tuple[Offer, ...]:
    own, models = cluster.gpu, cluster.own_models
    weeks = {} if own in models else _BESIDE.get(own, _MARKET)
    names = [own] + [name for name in weeks if name != own]
    return tuple(
        Offer(
            name=f"{name} node",
            gpu=name,
            gpus=8,
            price_usd=build.price_usd
            if name in models
            else round(build.price_usd * cluster.per_usd, 2),
            power_kw=build.power_kw,
            rack_units=build.rack_units,
            weeks=weeks.get(name, 16),
        )
        for name in names
        for build in (build_of(name, 8, models),)
    )


def teams() -> tuple[Team, ...]:
    """Five teams: two that train, one that serves, one that explores, one that computes at night."""
    return (
        Team("Foundation models", 0.41, 18, 0.86, 0.1, 0.0, 0.04, 0.0, 0.96, 0.95),
        Team("Language products", 0.21, 24, 0.12, 0.48, 0.24, 0.11, 0.05, 0.52, 0.4),
        Team(
            "Serving",
            0.17,
            9,
            inference=0.93,
            interactive=0.02,
            batch=0.05,
            weekend=0.78,
            night=0.46,
        ),
        Team("Applied research", 0.13, 31, 0.31, 0.29, 0.02, 0.33, 0.05, 0.31, 0.28),
        Team("Data platform", 0.08, 12, interactive=0.08, batch=0.92, weekend=0.9, night=1.4),
    )


def growth() -> Growth:
    """Serving grows fastest, training in steps that nobody knows exactly."""
    rates = (
        ("training", 3.2, 1.6),
        ("fine_tuning", 4.1, 1.4),
        ("inference", 6.5, 2.2),
        ("interactive", 1.5, 0.8),
        ("batch", 2.0, 0.9),
    )
    return Growth(tuple(ClassGrowth(*row) for row in rates))


def budget(cluster: Cluster, build: Build) -> Budget:
    """Four quarters: purchases of about a third of the fleet's price in a year, two quarters of them early."""
    rate = 1.0 if cluster.gpu in cluster.own_models else cluster.per_usd
    fleet, year = build.price_usd * rate * cluster.all_nodes, int(DATED[:4])
    running = (
        4000.0 * cluster.per_usd * cluster.all_nodes * cluster.gpus_per_node
    )  # per GPU and quarter: handbook 2.9's anchor
    parts = (0.05, 0.16, 0.04, 0.12)
    return Budget(
        tuple(
            Quarter(f"{year}-Q{number}", float(round(fleet * part, -4)), float(round(running, -4)))
            for number, part in enumerate(parts, start=1)
        )
    )


def policies(region: str = USUAL) -> tuple[tuple[str, PolicyValue], ...]:
    """What is agreed on use: name -> value."""
    return (
        ("quota", "share of GPU-hours per team"),
        ("borrowing_idle_gpus", True),
        ("preemption", "lower priority first"),
        ("spot_allowed", True),
        ("longest_job_hours", 168),
        ("data_residency", around(region).residency),
        ("availability_target_percent", 99.5),
    )
