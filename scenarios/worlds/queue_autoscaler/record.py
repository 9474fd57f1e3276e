"""What an elastic day leaves behind: its timeline and the facts that measures are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenarios.simulator.agenda import HOUR
from scenarios.simulator.slurm.queue import Rank
from scenarios.worlds.contract import Series
from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.tables import JobTable, NodeState, NodeTable
from scenarios.worlds.queue_autoscaler.workload import PRIORITIES
from scenarios.worlds.timeline import Timeline

SERIES = (
    Series("queue_high", "High priority waiting", "jobs", "queue"),
    Series("queue_normal", "Normal waiting", "jobs", "queue"),
    Series("queue_low", "Low priority waiting", "jobs", "queue"),
    Series("nodes_ondemand", "On-demand nodes up", "nodes", "nodes"),
    Series("nodes_spot", "Spot nodes up", "nodes", "nodes"),
    Series("nodes_starting", "Nodes starting", "nodes", "nodes"),
    Series("gpus_busy", "GPUs busy", "GPUs", "gpus"),
    Series("gpus_total", "GPUs up", "GPUs", "gpus"),
    Series("cost", "Spent so far", "USD", "cost"),
)


@dataclass(slots=True)
class Happening:
    """An event the controller may be told of: `at` in ms, `savable` for spot events."""

    at: int
    kind: str
    subject: str
    savable: int


@dataclass
class Record:
    """The timeline, sampled every five minutes, and everything notable."""

    config: WorldConfig
    jobs: JobTable
    nodes: NodeTable
    timeline: Timeline = field(default_factory=lambda: Timeline([one.key for one in SERIES]))
    happenings: list[Happening] = field(default_factory=list)
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
        """A point on the timeline."""
        self.timeline.mark(now, kind, text)

    def node_up(self, name: str) -> None:
        """The node may hold jobs from now on."""
        self.timeline.row(name)

    def job_on(self, job: int, node: str, now: int) -> None:
        """The job holds GPUs of the node from now on."""
        kind = PRIORITIES[self.jobs.spec[job].priority]
        gpus = min(self.jobs.spec[job].gpus, self.config.gpus_per_node)
        self.timeline.begin(node, job, now, f"job {job}, {gpus} GPUs here", kind)

    def job_off(self, job: int, node: str, now: int) -> None:
        """The job left the node."""
        self.timeline.end(node, job, now)

    def spend(self, now: int) -> float:
        """USD charged for nodes up to `now` ms."""
        total = 0.0
        for node, asked in enumerate(self.nodes.asked_at):
            until = self.nodes.charged_until[node]
            hours = ((until if until >= 0 else now) - asked) / HOUR
            total += hours * self.config.pools[self.nodes.pool[node]].price
        return total

    def sample(self, now: int, queue: list[Rank], alive: list[int]) -> None:
        """Note the state at `now` ms if a sample is due."""
        if not self.timeline.due(now):
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
            total - sum(self.nodes.free(n) for n in ready),
            total,
            round(self.spend(now), 2),
        )
        self.timeline.sample(now, row)
