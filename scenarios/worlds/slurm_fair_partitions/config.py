"""What a shared cluster consists of: partitions, teams with their guarantees, and its trouble."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.simulator.slurm.priority import Weights
from scenarios.worlds.front import ApiFaults

TRAINING, INFERENCE = "training", "inference"
SERVE, SCAVENGE = "serve", "scavenge"
WEIGHTS = Weights(age=2_000, fair_share=10_000, job_size=500, qos=6_000)


@dataclass(frozen=True, slots=True)
class PartitionShape:
    """One partition: `purpose` is training or inference, `gpu` the type in its Gres line."""

    name: str
    purpose: str
    site: str
    gpu: str
    prefix: str
    nodes: int
    max_time: int = 2 * DAY

    per_node = 4
    """GPUs of a node: HGX A100 boards with four, and servers with four T4."""

    @property
    def gpus(self) -> int:
        return self.nodes * self.per_node


@dataclass(frozen=True, slots=True)
class Team:
    """One account: `guaranteed` A100 GPUs, `shares` of the agreement, `weight` of its demand.

    `serves` is its part of the inference work, `home` the partition its jobs are sent to,
    `budget` in GPU-hours of the quarter (0: none). A contract team is an outside tenant
    whose jobs may never be requeued.
    """

    name: str
    guaranteed: int
    shares: int
    users: tuple[str, ...]
    weight: float
    serves: float = 0.0
    home: int = 0
    budget: float = 0.0
    contract: bool = False


@dataclass(frozen=True, slots=True)
class Revision:
    """From `at` ms on the agreement gives `team` other numbers; announced a day before."""

    at: int
    team: int
    guaranteed: int
    shares: int


@dataclass(frozen=True, slots=True)
class Promise:
    """`nodes` whole nodes of `partition` promised to a team from `at` for `length`, in ms."""

    name: str
    team: int
    partition: int
    nodes: int
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """Machines that die (mean ms between deaths on the whole cluster) and calls that fail."""

    node_down: float = 5.0 * DAY
    repair_low: int = 2 * HOUR
    repair_high: int = 6 * HOUR
    api: ApiFaults = field(default_factory=ApiFaults)


@dataclass(frozen=True, slots=True)
class ClusterConfig:
    """One workload's cluster. Times in ms.

    The weights are those of the slurm.conf that candidates are shown: shares decide most,
    a QOS can lift above them, age breaks long ties.
    """

    cluster: str
    length: int
    partitions: tuple[PartitionShape, ...]
    teams: tuple[Team, ...]
    revisions: tuple[Revision, ...] = ()
    promises: tuple[Promise, ...] = ()
    leftover_reservation: int = 0
    scavenge: bool = False
    trouble: Trouble = field(default_factory=Trouble)
    tick: int = 15 * MINUTE
    requeue_hold: int = 2 * MINUTE
    half_life: int = 7 * DAY
    max_age: int = 3 * DAY
    backfill_depth: int = 60
    weights: Weights = WEIGHTS

    @property
    def training_gpus(self) -> int:
        return sum(each.gpus for each in self.partitions if each.purpose == TRAINING)

    @property
    def inference(self) -> int:
        """Number of the inference partition."""
        return next(n for n, each in enumerate(self.partitions) if each.purpose == INFERENCE)

    @property
    def qos_names(self) -> list[str]:
        """A QOS for each team, one for inference, and perhaps one that is evicted at need."""
        extra = [SCAVENGE] if self.scavenge else []
        return [*(team.name for team in self.teams), SERVE, *extra]
