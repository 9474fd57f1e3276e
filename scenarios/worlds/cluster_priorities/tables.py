"""The rows of a shared cluster as it runs: workloads, nodes, stops; no rule of when they change."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.simulator.streams import Stream

PENDING, STARTING, RUNNING, SAVING, FINISHED = (
    "pending",
    "starting",
    "running",
    "saving",
    "finished",
)
READY, DOWN, AWAY = "ready", "down", "away"


class Kind(IntEnum):
    """Events, in the order in which those of one instant happen."""

    FINISH = 0
    SAVED = 1
    OUT = 2
    NOTICE = 3
    BACK = 4
    STARTED = 5
    SUBMIT = 6
    SAMPLE = 7


@dataclass(frozen=True, slots=True)
class Request:
    """A workload as its owner sends it. `run` ms on all of its `gpus`; `least` GPUs at least.

    `estimate` is the owner's guess of `run`. `checkpoint` is ms between its own checkpoints, 0
    if it has none. `deadline` is -1 where there is none. `at` is the moment it is sent.
    """

    at: int
    name: str
    team: int
    gpus: int
    least: int
    run: int
    estimate: int
    checkpoint: int
    deadline: int = -1


@dataclass(slots=True)
class Work:
    """One workload so far. Work is counted in GPU-ms; times are ms of the episode.

    `base` is the work that was safe when the present run began; `kept` what a checkpoint or a
    save has made safe since. `version` changes with every change of state.
    """

    number: int
    request: Request
    state: str = PENDING
    flavor: int = -1
    gpus: int = 0
    nodes: list[tuple[int, int]] = field(default_factory=list)
    base: int = 0
    reached: int = 0
    since: int = -1
    admitted_at: int = -1
    waiting_since: int = 0
    waited: int = 0
    finished_at: int = -1
    version: int = 0
    stuck_since: int = -1
    lost: int = 0
    runs: int = 0
    needless: bool = False
    pods: Stream | None = None

    @property
    def total(self) -> int:
        """Work in GPU-ms."""
        return self.request.run * self.request.gpus

    @property
    def holds(self) -> bool:
        """Whether it holds quota and GPUs."""
        return self.state in (STARTING, RUNNING, SAVING)

    def done(self, now: int) -> int:
        """GPU-ms of work there would be if nothing were lost."""
        if self.state == RUNNING:
            return min(self.total, self.base + (now - self.since) * self.gpus)
        return self.reached if self.state == SAVING else self.base

    def safe(self, now: int) -> int:
        """GPU-ms of work that outlasts a stop without warning."""
        if self.state == FINISHED:
            return self.total
        step = self.request.checkpoint
        if not step:
            return 0
        if self.state not in (RUNNING, SAVING):
            return self.base
        ran = self.done(now) - self.base
        return self.base + ran // (step * self.gpus) * (step * self.gpus)

    def wait(self, now: int) -> int:
        """ms spent waiting, all waits together."""
        return self.waited + (now - self.waiting_since if self.state == PENDING else 0)


@dataclass(slots=True)
class Node:
    """One node. `holders` are workloads with their GPUs; times in ms, -1 for never."""

    name: str
    flavor: int
    gpus: int
    state: str = READY
    holders: dict[int, int] = field(default_factory=dict)
    reclaim_at: int = -1
    ready_at: int = 0

    @property
    def free(self) -> int:
        """GPUs in nobody's hands."""
        return self.gpus - sum(self.holders.values())

    @property
    def open(self) -> bool:
        """Whether new pods may come."""
        return self.state == READY and self.reclaim_at < 0


@dataclass(slots=True)
class Stop:
    """A stop by the controller that has yet to show that it was needed."""

    at: int
    work: int
    flavor: int
    gpus: int
    priority: int
    queue: int
    needed: bool = False
