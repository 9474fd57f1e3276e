"""What a spot training cluster is made of: zones, runs, stores, trouble; no behaviour."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.company.profile import GpuModel
from scenarios.simulator.agenda import HOUR, MINUTE, SECOND
from scenarios.simulator.world.failures import NOTICE_S
from scenarios.worlds.front import ApiFaults, Windows

SPOT, ONDEMAND = "spot", "ondemand"


@dataclass(frozen=True, slots=True)
class ZoneConfig:
    """One zone with a spot and an on-demand pool of the same nodes.

    Prices in USD for a node-hour; `spot_price` is the level around which the market moves.
    """

    name: str
    region: str
    spot_price: float
    ondemand_price: float
    spot_most: int
    ondemand_most: int


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """One run: `steps` optimiser steps of `step_ms` each on `nodes` nodes; times in ms.

    It may hold `least` to `most` nodes. `penalty` is USD for each hour after `deadline` until
    it is finished. `spikes` are the steps at which its loss diverges the first time.
    """

    name: str
    model: str
    checkpoint_gb: int
    steps: int
    step_ms: int
    nodes: int
    least: int
    most: int
    deadline: int
    penalty: float = 0.0
    spikes: tuple[int, ...] = ()
    every: int = 1000
    mode: str = "sync"

    def step_time(self, nodes: int) -> int:
        """ms for a step on that many nodes: throughput grows with the 0.92nd power of the nodes.

        The exponent is an assumption: data-parallel runs of this size keep 85 to 95 % of linear
        scaling between two and eight nodes.
        """
        return round(self.step_ms * float((self.nodes / nodes) ** 0.92))


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """One region's checkpoint store: quota and hard limit in GB, rates in GB/s.

    `write` and `read` are for each node of a gang (shards go in parallel), `check` for the
    verifier, `copy` between regions at `transfer` USD for a GB.
    """

    quota_gb: int
    limit_gb: int
    write: float = 0.5
    read: float = 1.0
    check: float = 1.2
    copy: float = 0.5
    transfer: float = 0.02


@dataclass(frozen=True, slots=True)
class Wave:
    """The provider wants much of a zone's spot capacity back at `at` ms."""

    at: int
    zone: int
    share: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """What one workload has in store. Means in ms of node life, probabilities for one event.

    `prices`, `dry` (no spot node to be had) and `reclaim_means` go by zone. With `daily` above 0
    nodes are reclaimed more often at midday and less at night, by that share.
    """

    prices: tuple[tuple[tuple[int, float], ...], ...]
    dry: tuple[Windows, ...]
    reclaim_means: tuple[float, ...]
    waves: tuple[Wave, ...] = ()
    daily: float = 0.0
    down_mean: float = 250 * HOUR
    slow_mean: float = 300 * HOUR
    mute: float = 0.03
    start_failure: float = 0.05
    shortage: float = 0.05
    corrupt: float = 0.03
    silent: float = 0.0
    """Share of corrupt checkpoints that load all the same, with weights that are worthless."""
    failed_save: float = 0.02
    stale_pointer: float = 0.08
    slow_store: Windows = ()
    api: ApiFaults = field(default_factory=ApiFaults)


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """Zones, runs and stores with the rules between them. Times in ms, prices in USD."""

    cluster: str
    gpu: GpuModel
    gpus_per_node: int
    zones: tuple[ZoneConfig, ...]
    trainings: tuple[TrainingConfig, ...]
    stores: dict[str, StoreConfig]
    overflow_price: float
    budget: float
    length: int
    tick: int = 5 * MINUTE
    notice: int = NOTICE_S["aws"] * SECOND
    join_low: int = 50 * SECOND
    join_high: int = 90 * SECOND
    join_timeout: int = 10 * MINUTE
    snapshot_gbps: float = 4.0
    slow_percent: int = 150
    least_charge: int = MINUTE

    @property
    def saving_asked(self) -> int:
        """Percent below the on-demand price that is asked for: four fifths of spot's own discount.

        50 at the default prices; rounded to 5.
        """
        zone = self.zones[0]
        return max(5, round(0.8 * (1 - zone.spot_price / zone.ondemand_price) * 20) * 5)

    @property
    def goal_cost(self) -> float:
        """USD at which the saving that is asked for is reached."""
        return self.ondemand_cost * (100 - self.saving_asked) / 100

    @property
    def ondemand_cost(self) -> float:
        """USD for every run on its usual nodes at the dearest zone's on-demand price, undisturbed."""
        price = max(zone.ondemand_price for zone in self.zones)
        return sum(run.nodes * run.steps * run.step_ms / HOUR * price for run in self.trainings)
