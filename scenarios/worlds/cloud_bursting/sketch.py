"""Draws the period as it goes: who held which GPUs, marks, and the rows of the timeline."""

from __future__ import annotations

from scenarios.worlds.cloud_bursting.shape import BurstConfig
from scenarios.worlds.cloud_bursting.tables import Run
from scenarios.worlds.cloud_bursting.workload import PRIORITIES
from scenarios.worlds.contract import Series
from scenarios.worlds.timeline import Timeline

SERIES = (
    Series("queue_high", "high waiting", "jobs", "queue"),
    Series("queue_normal", "normal waiting", "jobs", "queue"),
    Series("queue_low", "low waiting", "jobs", "queue"),
    Series("pending_gpu_hours", "pending work", "GPU-h", "pending"),
    Series("threshold", "burst threshold", "GPU-h", "pending"),
    Series("gpus_primary", "primary busy", "GPUs", "gpus"),
    Series("gpus_kestrel", "kestrel", "GPUs", "gpus"),
    Series("gpus_plover", "plover", "GPUs", "gpus"),
    Series("price_limit", "70 % of the primary's spot price", "USD per GPU-hour", "prices"),
    Series("price_kestrel", "kestrel", "USD per GPU-hour", "prices"),
    Series("price_plover", "plover", "USD per GPU-hour", "prices"),
    Series("spend", "spent on bursts", "USD", "cost"),
)


class Sketch:
    """The timeline with a row for each node of the primary and each place in a remote cloud."""

    def __init__(self, config: BurstConfig) -> None:
        self.config = config
        self.timeline = Timeline([one.key for one in SERIES])
        for node in range(config.nodes):
            self.timeline.row(self.node(node))
        self._places: dict[int, str] = {}
        self._taken: list[set[int]] = [set() for _ in config.remotes]

    def node(self, number: int) -> str:
        """Name of a node of the primary."""
        return f"gpu-{number + 1:02d}"

    def mark(self, now: int, kind: str, text: str) -> None:
        """A point on the timeline at `now` ms."""
        self.timeline.mark(now, kind, text)

    def begin(self, now: int, run: Run, priority: int) -> None:
        """The run holds its GPUs from `now` ms on."""
        label = f"job {run.job}"
        for row in self._rows(run):
            self.timeline.begin(row, run.number, now, label, PRIORITIES[priority])

    def end(self, now: int, run: Run) -> None:
        """The run holds nothing any more."""
        for node in run.nodes:
            self.timeline.end(self.node(node), run.number, now)
        row = self._places.pop(run.number, "")
        if row:
            self.timeline.end(row, run.number, now)
            self._taken[run.cloud].discard(int(row.rsplit("-", 1)[1]))

    def _rows(self, run: Run) -> list[str]:
        if run.cloud < 0:
            return [self.node(node) for node in run.nodes]
        taken = self._taken[run.cloud]
        place = next(n for n in range(1, len(taken) + 2) if n not in taken)
        taken.add(place)
        self._places[run.number] = f"{self.config.remotes[run.cloud].name}-{place:02d}"
        return [self._places[run.number]]
