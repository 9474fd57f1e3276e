"""What one period of cloud bursting is made of: clouds, limits, trouble; plain immutable data."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.front import ApiFaults, Windows

PRIMARY = "primary"
TICK = 5 * MINUTE
PRICE_STEP = 15 * MINUTE
PRICE_SHARE = 0.70
"""A burst may cost at most this share of what the primary's spot market would take."""
QUOTE_HOLDS = 10 * MINUTE
RESTART = 2 * MINUTE
LEAST_CHARGE = 10 * MINUTE
KEPT_IN_LISTS = 6 * HOUR
"""How long an ended run stays in its cloud's list."""
ACT_WITHIN = 30 * MINUTE
"""Time to answer an interruption, a hung instance or a job that runs twice."""
LOG_EVERY = 20 * MINUTE
EGRESS_PRIMARY = 0.09
"""USD for a GB that leaves the primary cloud (domain handbook 2.9: list price of the first 10 TB)."""


PRIMARY_BRANCH = 580
"""The NVIDIA driver branch of the primary's image."""


def branch(driver: str) -> int:
    """580 of "580.65.06"."""
    return int(driver.partition(".")[0])


@dataclass(frozen=True, slots=True)
class CloudShape:
    """A remote cloud. Durations in ms, prices as shares of the primary's spot price of a GPU-hour.

    `clock` is s, ms or "ahead": how the cloud writes times (`clocks.py`). `states` are its own
    words for provisioning, active, exited, terminating, terminated, preempted, failed.
    """

    name: str
    region: str
    unit: str
    price_share: float
    swing: float
    quota_share: float
    egress_gb: float
    driver: str
    clock: str
    states: tuple[str, ...]
    start_low: int = 4 * MINUTE
    start_high: int = 9 * MINUTE
    start_failure: float = 0.06
    gb_per_s: float = 0.4
    log_kept: int = 30 * MINUTE
    log_in_bytes: bool = False

    @property
    def driver_branch(self) -> int:
        """The first number of the driver's version, by which drivers are compared."""
        return branch(self.driver)


KESTREL = CloudShape(
    "kestrel",
    "us-east",
    "gpu_hour",
    0.54,
    0.06,
    0.50,
    0.08,
    "580.65.06",
    "ms",
    ("provisioning", "active", "exited", "terminating", "terminated", "preempted", "failed"),
)
PLOVER = CloudShape(
    "plover",
    "eu-north",
    "node_hour",
    0.46,
    0.05,
    0.50,
    0.05,
    "550.90.12",
    "ahead",
    ("BOOTING", "UP", "DONE", "STOPPING", "STOPPED", "RECLAIMED", "ERROR"),
    start_low=6 * MINUTE,
    start_high=14 * MINUTE,
    start_failure=0.08,
    gb_per_s=0.25,
    log_in_bytes=True,
)
REMOTES = {shape.name: shape for shape in (KESTREL, PLOVER)}


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong in a period, besides calls. Means in ms, windows in ms, shares 0 to 1.

    `outages` are (cloud number, begin, end); `waves` are (cloud number, instant).
    """

    preempt_mean: float = 14 * HOUR
    node_mean: float = 260 * HOUR
    repair_low: int = 90 * MINUTE
    repair_high: int = 4 * HOUR
    hang_share: float = 0.0
    outages: tuple[tuple[int, int, int], ...] = ()
    waves: tuple[tuple[int, int], ...] = ()
    feed_stuck: Windows = ()
    price_flaps: Windows = ()


@dataclass(frozen=True, slots=True)
class BurstConfig:
    """Everything about a period that is not chance. USD, GPU-hours, ms."""

    length: int
    nodes: int
    gpus_per_node: int
    spot_gpu_hour: float
    overflow_gpu_hour: float
    remotes: tuple[CloudShape, ...]
    quotas: tuple[int, ...]
    most_pending: int
    threshold_gpu_hours: float
    daily_cap: float
    team_budget: float
    residency: str
    drivers: bool
    trouble: Trouble
    faults: ApiFaults
    per_usd: float = 1.0
    home: str = "us-east"

    @property
    def egress_primary(self) -> float:
        """For a GB that leaves the primary cloud, in the company's money."""
        return EGRESS_PRIMARY * self.per_usd

    def egress(self, cloud: int) -> float:
        """The same for a remote cloud."""
        return self.remotes[cloud].egress_gb * self.per_usd

    @property
    def gpus(self) -> int:
        """GPUs of the primary cluster."""
        return self.nodes * self.gpus_per_node

    def number(self, cloud: str) -> int:
        """A remote cloud's place in `remotes`; -1 for the primary, -2 for an unknown name."""
        if cloud == PRIMARY:
            return -1
        names = [shape.name for shape in self.remotes]
        return names.index(cloud) if cloud in names else -2
