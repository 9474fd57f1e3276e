"""What is true of one company at the start of the year that a plan is for; all of it follows from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from scenarios.company.profile import Profile
from scenarios.company.profile.tables import (
    Fabric,
    NodeType,
    Offer,
    PolicyValue,
    Quarter,
    Site,
    StorageTier,
)


@dataclass(frozen=True, slots=True)
class Month:
    """One of the twelve months planned for. `hours` are all hours in it; `quarter` is such as 2026-Q1."""

    index: int
    name: str
    start: date
    hours: int
    quarter: str


@dataclass(frozen=True, slots=True)
class Work:
    """Demand of one class of work as it stands before the first month.

    gpu_hours_day: mean of GPU-hours asked for in a day; weekend, night: of a weekday's day.
    gpus: usual GPUs of a job -> its part of the class's GPU-hours; hours: median length of a job; sigma: of its
    logarithm. read_gbs, burst_gbs: storage reads of a GPU at work, and writes of checkpoints, mean GB/s.
    cross_gbps: traffic of a GPU that leaves its leaf, at work, in Gb/s. priority: the higher starts first.
    wait_target_h: p95 of the queue wait that the company has promised for this class.
    steady: serving, which runs all the time and is late rather than queued; its wait is how late it answers.
    io, net: part of a job's time that is reading storage and exchanging over the spine, when neither is
    full. idle_h: median hours that a session keeps its GPUs after its work. quota: most of the own GPUs
    that the class may hold, 0 to 1. save_h: hours between checkpoints. swing: for steady work, its peak
    over its mean in a weekday. late_usd: what a GPU-hour costs the company that comes later than promised.
    """

    job_class: str
    gpu_hours_day: float
    monthly: float
    uncertainty: float
    weekend: float
    night: float
    gpus: Mapping[int, float]
    hours: float
    sigma: float
    read_gbs: float
    burst_gbs: float
    cross_gbps: float
    priority: int
    wait_target_h: float
    steady: bool = False
    may_burst: bool = True
    """Whether its data may leave the own sites; policies on residency decide."""
    regions: tuple[str, ...] = ()
    """Cloud regions in which its data may be; empty where it does not matter."""
    title: str = ""
    io: float = 0.0
    net: float = 0.0
    idle_h: float = 0.0
    quota: float = 1.0
    save_h: float = 1.0
    swing: float = 1.0
    late_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Place:
    """A site at the start: what stands there and what it leaves free.

    nodes: type and count; racks_free: racks that stand empty; uplinks: cabled ports from leaves to spines, as
    many on either side.
    leaf_ports_free, spine_ports_free: ports for GPU links that nothing uses.
    """

    site: Site
    nodes: tuple[tuple[NodeType, int], ...]
    fabric: Fabric
    tiers: tuple[StorageTier, ...]
    racks_free: int
    power_free_kw: float
    leaf_ports_free: int
    spine_ports_free: int
    uplinks: int = 0
    floor_free: int = 0
    """Further racks that there is floor for."""

    @property
    def count(self) -> int:
        """Nodes with GPUs or without."""
        return sum(count for _, count in self.nodes)


@dataclass(frozen=True, slots=True)
class Rent:
    """GPUs of one kind of rent in a cloud region. usd: for a GPU and an hour with the storage, network and
    support that go with it; kind as in CLOUD_KINDS."""

    kind: str
    region: str
    usd: float
    most: int = 1_000_000
    """GPUs that the provider gives at one time."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens to demand or to a site and is announced in the documents.

    month: index, 0 to 11. subject: the class, node type or offer that it is about; "" for all.
    kind: launch (demand of a class jumps by `factor` from that month), freeze (nothing may be installed in that
    month), end_of_support (support of a node type costs `factor` from that month), price (offers cost
    `factor` from that month).
    """

    kind: str
    month: int
    what: str
    factor: float = 1.0
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Something in the present cluster that holds work up, and shows in its data.

    key: such as spine, scratch_bandwidth, small_jobs, idle_notebooks, serving_peak; `cured_by` names the
    purchases and policies that take it away.
    """

    key: str
    title: str
    strength: float
    cured_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All of it. `offers` are the nodes that this level may buy; `policies` those that a plan may change."""

    profile: Profile
    level: str
    seed: int
    months: tuple[Month, ...]
    places: tuple[Place, ...]
    work: tuple[Work, ...]
    offers: tuple[Offer, ...]
    policies: tuple[str, ...]
    events: tuple[Event, ...]
    bottlenecks: tuple[Bottleneck, ...]
    has_cloud: bool
    quarters: tuple[Quarter, ...] = ()
    """What may be spent; purchases that one quarter leaves may be made in the next."""
    rents: tuple[Rent, ...] = ()
    before: Mapping[str, PolicyValue] = field(default_factory=dict)
    """Policy -> what holds before the year."""
    spread: float = 1.3
    """Nodes that jobs of less than a node lie on, over the fewest that could hold them."""
    link_gbps: float = 10.0
    """Speed of the line to the cloud, in Gb/s."""

    @property
    def gpus(self) -> int:
        return sum(kind.gpus * count for place in self.places for kind, count in place.nodes)
