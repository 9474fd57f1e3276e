"""What an episode leaves behind: samples, marks and the facts that measures are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.elastic.config import WorldConfig
from scenarios.worlds.elastic.scheduler import QueueKey
from scenarios.worlds.elastic.tables import JobTable, NodeState, NodeTable

SAMPLE_EVERY = 5 * MINUTE
MOST_MARKS = 600
MOST_LOG_LINES = 400

COLUMNS = (
    "queue_high",
    "queue_normal",
    "queue_low",
    "nodes_ondemand",
    "nodes_spot",
    "nodes_starting",
    "gpus_busy",
    "gpus_total",
    "cost",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at one instant: `t` in s, `kind` fault, spot, action or log."""

    t: int
    kind: str
    text: str


@dataclass(slots=True)
class Happening:
    """An event the controller may be told of: `at` in ms, `savable` for spot events."""

    at: int
    kind: str
    subject: str
    savable: int


@dataclass
class Record:
    """Samples every five minutes (`columns`, with `times` in s) and everything notable."""

    config: WorldConfig
    jobs: JobTable
    nodes: NodeTable
    times: list[int] = field(default_factory=list)
    columns: dict[str, list[float]] = field(default_factory=lambda: {key: [] for key in COLUMNS})
    marks: list[Mark] = field(default_factory=list)
    happenings: list[Happening] = field(default_factory=list)
    log_lines: int = 0
    missed_half_hours: set[int] = field(default_factory=set)
    idle_half_hours: set[int] = field(default_factory=set)
    misfit_gpu_ms: int = 0

    _TEXTS = {
        "start_failed": ("fault", "{} failed to start"),
        "node_down": ("fault", "{} went down"),
        "spot_notice": ("spot", "notice: {} will be reclaimed in two minutes"),
        "reclaimed": ("spot", "{} was reclaimed"),
    }

    def event(self, now: int, kind: str, subject: str, savable: int = 0) -> None:
        """Something the world did at `now` ms."""
        self.happenings.append(Happening(now, kind, subject, savable))
        mark, text = self._TEXTS[kind]
        self.mark(now, mark, text.format(subject))

    def mark(self, now: int, kind: str, text: str) -> None:
        """A point on the timeline; beyond the first 600 they are dropped."""
        if len(self.marks) < MOST_MARKS:
            self.marks.append(Mark(now // 1000, kind, text))

    def log(self, now: int, text: str) -> None:
        """A line of the controller's own log; beyond the first 400 they are dropped."""
        self.log_lines += 1
        if self.log_lines <= MOST_LOG_LINES:
            self.mark(now, "log", text)

    def spend(self, now: int) -> float:
        """USD charged for nodes up to `now` ms."""
        total = 0.0
        for node, asked in enumerate(self.nodes.asked_at):
            until = self.nodes.charged_until[node]
            hours = ((until if until >= 0 else now) - asked) / HOUR
            total += hours * self.config.pools[self.nodes.pool[node]].price
        return total

    def sample(self, now: int, queue: list[QueueKey], alive: list[int]) -> None:
        """Note the state at `now` ms if a sample is due."""
        if now % SAMPLE_EVERY:
            return
        waiting = [0, 0, 0]
        for priority, _, _ in queue:
            waiting[priority] += 1
        ready = [n for n in alive if self.nodes.state[n] == NodeState.READY]
        spot = sum(self.config.pools[self.nodes.pool[n]].spot for n in ready)
        total = len(ready) * self.config.gpus_per_node
        row = (
            *waiting,
            len(ready) - spot,
            spot,
            sum(self.nodes.state[n] == NodeState.STARTING for n in alive),
            total - sum(self.nodes.free[n] for n in ready),
            total,
            round(self.spend(now), 2),
        )
        self.times.append(now // 1000)
        for key, value in zip(COLUMNS, row, strict=True):
            self.columns[key].append(value)
