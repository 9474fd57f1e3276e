"""The optional tables of a company profile. Money is in USD, power in kW, capacity in TB (10^12 bytes)."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.company.profile.columns import choice, number, rows, text, when, whole
from scenarios.company.profile.gpus import BUILDS

JOB_CLASSES = ("training", "fine_tuning", "inference", "interactive", "batch")
"""The kinds of work that teams do and that grow apart from one another."""

PolicyValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Accelerator:
    """A GPU model that we do not know, by its own figures. power_w: of the board; clock_mhz: at full load."""

    name: str = text("Name", "In one word, as node types call it.", most=20)
    product: str = text("Product", "As its tools print it.")
    vendor: str = text("Vendor", most=20)
    memory_gib: int = whole("Memory", 8, 4096, "GiB")
    power_w: int = whole("Most power", 30, 5000, "W")
    link: str = text("Links between GPUs of a node", "Such as xGMI or PCIe.", most=20)
    link_gbs: int = whole("Speed of one GPU's links, both ways", 8, 20_000, "GB/s")
    price_usd: float = number("Price of one", 1, 1_000_000, "USD")
    idle_w: int = whole("Power when idle", 1, 1000, "W", default=80)
    clock_mhz: int = whole("Clock at full load", 200, 6000, "MHz", default=1900)


@dataclass(frozen=True, slots=True)
class NodeType:
    """Nodes that were bought alike. power_kw: most that one draws; price_usd: what one cost;
    memory_gib: the host's memory; nvme_tb: its local disks; `site`: name of a site, "" for the first."""

    name: str = text("Name", "Such as “H100 training”.")
    count: int = whole("Nodes", 1, 4096)
    gpu: str = choice("GPU model", tuple(BUILDS), "“none” for nodes without GPUs.", "H100")
    gpus: int = whole("GPUs in a node", 0, 16, default=8)
    cpus: int = whole("CPU cores in a node", 1, 1024, default=112)
    memory_gib: int = whole("Memory of a node", 1, 65_536, "GiB", default=2048)
    nvme_tb: float = number("Local NVMe of a node", 0, 1000, "TB", default=30.7)
    power_kw: float = number("Most power of a node", 0.05, 200, "kW", default=10.2)
    rack_units: int = whole("Height of a node", 1, 48, "rack units", default=8)
    price_usd: float = number("Price of a node", 0, 10_000_000, "USD", default=310_000.0)
    purchased: str = when("month", "Bought in", default="2024-07")
    depreciation_years: int = whole("Written off over", 1, 10, "years", default=5)
    site: str = text("Site", "The name of a site below; empty for the first.", default="")


@dataclass(frozen=True, slots=True)
class Fabric:
    """The network between GPUs of different nodes. link_gbps: of one port; switch_kw: typical draw of a switch.

    `oversubscription` is the capacity of a leaf's downlinks over that of its uplinks (1 is non-blocking).
    """

    kind: str = choice("Kind of network", ("InfiniBand", "RoCE", "Ethernet"))
    rails: int = whole("Fabric ports of a node (rails)", 1, 16)
    link_gbps: int = whole("Speed of a port", 10, 1600, "Gb/s")
    leaf_switches: int = whole("Leaf switches", 1, 16_384)
    spine_switches: int = whole(
        "Spine switches", 0, 16_384, note="0 where the leaves need no spine."
    )
    switch_ports: int = whole("Ports of a switch", 8, 1024)
    oversubscription: float = number(
        "Oversubscription", 1, 16, "to 1", "1 means that uplinks carry all that downlinks can."
    )
    switch_kw: float = number("Typical power of a switch", 0.05, 10, "kW")


@dataclass(frozen=True, slots=True)
class StorageTier:
    """One kind of storage. capacity_tb: usable; bandwidth_gbs: read by all nodes together, in GB/s."""

    name: str = text("Name")
    kind: str = choice("Kind", ("parallel", "nfs", "object", "archive"))
    capacity_tb: float = number("Usable capacity", 0.1, 1_000_000, "TB")
    bandwidth_gbs: float = number("Read bandwidth", 0.01, 100_000, "GB/s")
    price_tb_month: float = number("Cost of a TB for a month", 0, 10_000, "USD")
    used_tb: float = number("In use", 0, 1_000_000, "TB", default=0.0)


@dataclass(frozen=True, slots=True)
class Storage:
    """Where data lives."""

    tiers: tuple[StorageTier, ...] = rows(StorageTier, "Storage tiers", 20)


@dataclass(frozen=True, slots=True)
class Site:
    """One room with racks. rack_kw: most for one rack; total_kw: for all IT equipment; price_kwh: USD.

    `pue` is power of the whole facility over that of the IT equipment.
    """

    name: str = text("Name")
    region: str = text("Region", "Such as “Frankfurt”.")
    racks: int = whole("Racks", 1, 10_000)
    rack_kw: float = number("Power of a rack", 1, 500, "kW")
    total_kw: float = number("Power for all IT equipment", 1, 1_000_000, "kW")
    rack_units: int = whole("Units in a rack", 1, 60, default=42)
    pue: float = number("PUE", 1, 3, default=1.4)
    price_kwh: float = number("Electricity", 0.001, 5, "USD per kWh", default=0.11)


@dataclass(frozen=True, slots=True)
class Facility:
    """Sites, and how many weeks pass from order to use. `power_weeks`: for more power at a site."""

    node_weeks: int = whole("Nodes are delivered in", 1, 156, "weeks")
    switch_weeks: int = whole("Switches are delivered in", 1, 156, "weeks")
    storage_weeks: int = whole("Storage is delivered in", 1, 156, "weeks")
    rack_weeks: int = whole("Racks are ready in", 1, 156, "weeks")
    power_weeks: int = whole("More power is ready in", 1, 260, "weeks")
    sites: tuple[Site, ...] = rows(Site, "Sites", 10)


@dataclass(frozen=True, slots=True)
class Offer:
    """A node that could be bought. power_kw: most that it draws; weeks: from order to use."""

    name: str = text("Name")
    gpu: str = choice("GPU model", tuple(BUILDS))
    gpus: int = whole("GPUs in a node", 0, 16)
    price_usd: float = number("Price of a node", 1, 10_000_000, "USD")
    power_kw: float = number("Most power of a node", 0.05, 200, "kW")
    rack_units: int = whole("Height of a node", 1, 48, "rack units")
    weeks: int = whole("Delivered in", 1, 156, "weeks")


@dataclass(frozen=True, slots=True)
class PriceBook:
    """What things cost at a date, in USD. *_gpu_hour: rent of one GPU for an hour.

    support_percent: of the purchase price, per year; licence_gpu_year: software for one GPU, per year;
    cabling_node: cables and optics to connect one node; egress_gb: one GB out of a cloud.
    """

    dated: str = when("day", "Prices as of")
    on_demand_gpu_hour: float = number("Rent of a GPU, on demand", 0.0001, 10_000, "USD per hour")
    reserved_1y_gpu_hour: float = number("Reserved for a year", 0.0001, 10_000, "USD per hour")
    reserved_3y_gpu_hour: float = number("Reserved for three years", 0.0001, 10_000, "USD per hour")
    spot_gpu_hour: float = number("Spot", 0.0001, 10_000, "USD per hour")
    switch_usd: float = number("Price of a switch", 1, 1_000_000, "USD")
    cabling_node: float = number("Cables and optics for a node", 0, 1_000_000, "USD")
    storage_tb: float = number("Price of a TB of parallel storage", 1, 100_000, "USD")
    colocation_kw_month: float = number("Colocation of a kW", 0, 10_000, "USD per month")
    support_percent: float = number("Support", 0, 50, "% of the price per year")
    licence_gpu_year: float = number("Licences for a GPU", 0, 100_000, "USD per year")
    egress_gb: float = number("A GB out of the cloud", 0, 10, "USD")
    engineer_year: float = number("An engineer for a year", 0, 2_000_000, "USD")
    offers: tuple[Offer, ...] = rows(Offer, "Nodes that can be bought", 20)


@dataclass(frozen=True, slots=True)
class Team:
    """A team. gpu_share: its part of all GPU-hours; the five kinds of work: parts of its own GPU-hours.

    weekend, night: its use of GPUs then, as a part of that on a weekday's day.
    """

    name: str = text("Name")
    gpu_share: float = number("Part of all GPU-hours", 0, 1, "0 to 1", "All teams together: 1.")
    headcount: int = whole("People", 1, 100_000, default=8)
    training: float = number("of it training", 0, 1, "0 to 1", default=0.0)
    fine_tuning: float = number("of it fine-tuning", 0, 1, "0 to 1", default=0.0)
    inference: float = number("of it inference", 0, 1, "0 to 1", default=0.0)
    interactive: float = number("of it interactive", 0, 1, "0 to 1", default=0.0)
    batch: float = number("of it batch", 0, 1, "0 to 1", default=0.0)
    weekend: float = number("At weekends", 0, 2, "of a weekday", default=0.5)
    night: float = number("At night", 0, 2, "of the day", default=0.5)

    @property
    def mix(self) -> dict[str, float]:
        """Job class -> its part of the team's GPU-hours."""
        return {name: getattr(self, name) for name in JOB_CLASSES}


@dataclass(frozen=True, slots=True)
class ClassGrowth:
    """How demand for GPU-hours of one class grows. Both in percent per month, over the next twelve months.

    uncertainty_percent is one standard deviation of the monthly rate.
    """

    job_class: str = choice("Kind of work", JOB_CLASSES)
    monthly_percent: float = number("Growth", -20, 50, "% per month")
    uncertainty_percent: float = number("Give or take", 0, 30, "% per month", default=1.0)


@dataclass(frozen=True, slots=True)
class Growth:
    """What is expected of the next twelve months."""

    classes: tuple[ClassGrowth, ...] = rows(ClassGrowth, "Growth by kind of work", 5)


@dataclass(frozen=True, slots=True)
class Quarter:
    """What may be spent in one quarter, in USD: purchases apart from running costs."""

    quarter: str = when("quarter", "Quarter")
    capex_usd: float = number("Purchases", 0, 1_000_000_000, "USD")
    opex_usd: float = number("Running costs", 0, 1_000_000_000, "USD")


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget by quarter, in order."""

    quarters: tuple[Quarter, ...] = rows(Quarter, "Budget by quarter", 12)


@dataclass(frozen=True, slots=True)
class Tables:
    """The optional tables as far as a profile gives them: None or no rows where it does not."""

    accelerators: tuple[Accelerator, ...] = ()
    node_types: tuple[NodeType, ...] = ()
    fabric: Fabric | None = None
    storage: Storage | None = None
    facility: Facility | None = None
    price_book: PriceBook | None = None
    teams: tuple[Team, ...] = ()
    growth: Growth | None = None
    budget: Budget | None = None
    policies: tuple[tuple[str, PolicyValue], ...] | None = None


ARRAYS: dict[str, tuple[type, int]] = {
    "accelerators": (Accelerator, 10),
    "node_types": (NodeType, 40),
    "teams": (Team, 60),
}
"""Arrays of tables: name -> class of a row, most rows."""
SINGLE: dict[str, type] = {
    "fabric": Fabric,
    "storage": Storage,
    "facility": Facility,
    "price_book": PriceBook,
    "growth": Growth,
    "budget": Budget,
}
"""Plain tables: name -> class."""
