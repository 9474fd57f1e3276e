"""What a shared cluster is made of: flavours, queues, teams and their agreement; no behaviour."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.agenda import HOUR, MINUTE, SECOND
from scenarios.simulator.kueue.tree import NodeSpec, Quota

GPUS = 4
"""T4 in one node, as in an AWS g4dn.12xlarge."""
DEADLINE, ADHOC, LONG = "deadline", "adhoc", "long"
KINDS = (DEADLINE, ADHOC, LONG)


@dataclass(frozen=True, slots=True)
class FlavorConfig:
    """One ResourceFlavor: `nodes` equal nodes at `price` USD for a node-hour in use."""

    name: str
    spot: bool
    region: str
    nodes: int
    price: float

    @property
    def capacity(self) -> int:
        """GPUs with every node up."""
        return self.nodes * GPUS


@dataclass(frozen=True, slots=True)
class QueueConfig:
    """One ClusterQueue. `quotas` by flavour number; `night` holds the nominal quotas of the night

    where they differ; empty: the same all day.
    """

    name: str
    cohort: str
    quotas: dict[int, Quota]
    night: dict[int, int]


@dataclass(frozen=True, slots=True)
class CohortConfig:
    """One cohort. `limits` by flavour: what it may borrow from, and lend to, its parent."""

    name: str
    parent: str
    limits: dict[int, Quota]


@dataclass(frozen=True, slots=True)
class TeamConfig:
    """One team's work. `kind` deadline, adhoc or long; `flavors` are the numbers it tolerates.

    Deadline teams send `jobs` workloads at `submit` each day, due at `due` (ms after midnight).
    The others ask for `load` GPUs on average. Run times are between `shortest` and `longest` ms.
    `plan` is the mean number of GPUs that was promised to a long-running team.
    """

    name: str
    queue: int
    kind: str
    priority_class: str
    priority: int
    flavors: tuple[int, ...]
    gpus: tuple[int, ...]
    shortest: int
    longest: int
    jobs: int = 0
    submit: int = 0
    due: int = 0
    load: float = 0.0
    plan: float = 0.0
    partial: bool = False
    protected: bool = False


@dataclass(frozen=True, slots=True)
class CohortWorldConfig:
    """The cluster with its rules. Times in ms, prices in USD. `budget` is for on-demand nodes and

    one day, 0 for none; `overflow_price` for a GPU-hour of work that has to be bought elsewhere.
    """

    cluster: str
    flavors: tuple[FlavorConfig, ...]
    queues: tuple[QueueConfig, ...]
    cohorts: tuple[CohortConfig, ...]
    teams: tuple[TeamConfig, ...]
    length: int
    overflow_price: float
    budget: float = 0.0
    dear_restarts: bool = False
    tick: int = 5 * MINUTE
    notice: int = 2 * MINUTE
    start: int = 2 * MINUTE
    load: int = 5 * MINUTE
    save: int = 60 * SECOND
    night_begins: int = 20 * HOUR
    night_ends: int = 8 * HOUR

    @property
    def calendar(self) -> bool:
        """Whether nominal quotas change between day and night."""
        return any(queue.night for queue in self.queues)

    def is_night(self, now: int) -> bool:
        """Whether the night's quotas hold at `now` ms."""
        clock = now % (24 * HOUR)
        return clock >= self.night_begins or clock < self.night_ends

    def planned(self, queue: int, flavor: int, now: int) -> int:
        """The nominal quota that the calendar asks for at `now` ms."""
        row = self.queues[queue]
        if self.is_night(now) and flavor in row.night:
            return row.night[flavor]
        return row.quotas[flavor].nominal

    def specs(self, nominal: dict[tuple[int, int], int]) -> list[NodeSpec]:
        """The quota tree with these nominal quotas: queues in their order, then cohorts."""
        queues = [
            NodeSpec(
                row.name,
                row.cohort,
                queue=True,
                quotas={
                    flavor: Quota(nominal[number, flavor], quota.borrowing, quota.lending)
                    for flavor, quota in row.quotas.items()
                },
            )
            for number, row in enumerate(self.queues)
        ]
        cohorts = [
            NodeSpec(row.name, row.parent or None, queue=False, quotas=row.limits)
            for row in self.cohorts
        ]
        return queues + cohorts

    def load_time(self, gpus: int) -> int:
        """ms until a stopped workload works again, on top of the start of its pods."""
        return self.load * (1 + gpus // GPUS) if self.dear_restarts else self.load
