"""What a workload leaves behind: its timeline, its events, and the facts that measures are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.worlds.contract import Series
from scenarios.worlds.timeline import Timeline

SERIES = (
    Series("progress", "Steps reached, mean of the runs", "%", "progress"),
    Series("durable", "Steps that a good checkpoint holds", "%", "progress"),
    Series("pace", "Even pace to the deadline", "%", "progress"),
    Series("nodes_spot", "Spot nodes up", "nodes", "nodes"),
    Series("nodes_ondemand", "On-demand nodes up", "nodes", "nodes"),
    Series("nodes_starting", "Nodes starting", "nodes", "nodes"),
    Series("gpus_training", "GPUs training", "GPUs", "gpus"),
    Series("gpus_total", "GPUs charged for", "GPUs", "gpus"),
    Series("cost", "Spent so far", "USD", "cost"),
    Series("cost_ondemand", "The same progress on demand", "USD", "cost"),
    Series("price_cheapest", "Cheapest spot price", "USD/h", "price of a node"),
    Series("price_paid", "Mean price paid", "USD/h", "price of a node"),
    Series("stored", "Checkpoints stored", "GB", "storage"),
    Series("quota", "Quota", "GB", "storage"),
    Series("loss", "Training loss, first run", "nats", "loss"),
)

EventRow = tuple[int, str, str]
"""(ms, kind, subject) as the controller will be told."""

TEXTS = {
    "spot_notice": "notice: {} will be reclaimed in two minutes",
    "reclaimed": "{} was reclaimed",
    "node_down": "{} went down",
    "start_failed": "{} failed to start",
    "join_timeout": "{} never joined its gang",
    "load_failed": "checkpoint {} could not be loaded",
    "save_failed": "a save failed: {}",
    "stopped": "{} stopped",
    "joined": "{} trains",
    "finished": "{} finished",
}
_KINDS = {
    "spot_notice": "spot",
    "node_down": "fault",
    "start_failed": "fault",
    "join_timeout": "fault",
    "load_failed": "fault",
    "save_failed": "fault",
    "finished": "action",
}
"""What is marked on the timeline; the rest shows in the rows of the nodes."""


@dataclass(slots=True)
class Notice:
    """A reclaim notice that hit a training gang, and whether its work was safe in time."""

    at: int
    node: str
    training: int
    step: int
    handled: bool | None = None


@dataclass
class Record:
    """The timeline, sampled every five minutes, and everything notable. Times in ms."""

    timeline: Timeline = field(default_factory=lambda: Timeline([one.key for one in SERIES]))
    events: list[EventRow] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    broken_rules: list[tuple[int, str]] = field(default_factory=list)
    failed_loads: list[tuple[int, str]] = field(default_factory=list)
    over_quota_gb_ms: int = 0
    store_ms: int = 0
    """Time in which a store was above its quota or a run had no good checkpoint."""
    transfer_usd: float = 0.0
    nodes_started: int = 0
    phase_ms: dict[str, int] = field(default_factory=dict)

    def event(self, now: int, kind: str, subject: str) -> None:
        """Something the world did."""
        self.events.append((now, kind, subject))
        if kind in _KINDS:
            self.timeline.mark(now, _KINDS[kind], TEXTS[kind].format(subject))

    def rule(self, now: int, name: str) -> None:
        """A rule was broken; each counts once."""
        if all(name != known for _, known in self.broken_rules):
            self.broken_rules.append((now, name))
            self.timeline.mark(now, "rule", name)
