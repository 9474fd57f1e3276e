"""What an elastic cluster is made of: pools, prices, delays, fault rates; no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.company.profile import GpuModel
from scenarios.simulator.agenda import DAY, HOUR, MINUTE, SECOND


@dataclass(frozen=True, slots=True)
class PoolConfig:
    """One pool of identical nodes.

    Prices in USD for a node-hour, counts in nodes, times in ms. A node is charged from
    the moment it is asked for until it is given back or reclaimed; one that the controller
    gives back costs at least `WorldConfig.least_charge`, one that fails to start nothing.
    """

    name: str
    prefix: str
    spot: bool
    least: int
    most: int
    start: int
    price: float
    delay_low: int
    delay_high: int
    start_failure: float
    zone: str = ""
    faults: FaultConfig | None = None
    """How its own nodes fare, where pools differ; else as the cluster's."""


@dataclass(frozen=True, slots=True)
class FaultConfig:
    """How often things go wrong: means in ms of node life, probabilities for a call."""

    down_mean: float = 90 * HOUR
    slow_mean: float = 150 * HOUR
    reclaim_mean: float = 14 * HOUR
    reclaim_waves: tuple[int, ...] = ()
    wave_share: float = 0.6
    stockouts: tuple[tuple[int, int], ...] = ()
    shortage: float = 0.06
    write_timeout: float = 0.03
    read_timeout: float = 0.006
    throttled: tuple[tuple[int, int], ...] = ()
    stale: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer of the cluster: its share of the jobs, and what its contract says.

    `promise_min` are the minutes that its high, normal and low jobs may wait in all, 0 for no
    promise. A `firm` tenant's jobs never run on spot nodes and are never preempted.
    """

    name: str
    share: float
    promise_min: tuple[int, int, int]
    firm: bool = False


@dataclass(frozen=True, slots=True)
class WorldConfig:
    """A cluster and its rules. Times in ms, prices in USD."""

    cluster: str
    gpu: GpuModel
    gpus_per_node: int
    pools: tuple[PoolConfig, ...]
    overflow_price: float
    faults: FaultConfig = field(default_factory=FaultConfig)
    length: int = DAY
    tick: int = MINUTE
    save: int = 40 * SECOND
    restart: int = 120 * SECOND
    hold: int = 120 * SECOND
    notice: int = 120 * SECOND
    slow_speed: int = 45
    least_charge: int = HOUR
    tenants: tuple[Tenant, ...] = ()
    bound: tuple[tuple[str, float], ...] = ()
    """Zone and the share of jobs whose data lies there and nowhere else."""
    budget: float = 0.0
    """USD for the day's nodes; 0 where nobody set one."""

    def trouble(self, pool: int) -> FaultConfig:
        """How the pool's nodes fare."""
        return self.pools[pool].faults or self.faults

    @property
    def most_gpus(self) -> int:
        """GPUs with every pool at its largest."""
        return self.gpus_per_node * sum(pool.most for pool in self.pools)
