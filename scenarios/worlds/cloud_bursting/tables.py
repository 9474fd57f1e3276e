"""Jobs and their runs in any cloud, as plain records; knows no rule and no price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.worlds.cloud_bursting.shape import LOG_EVERY
from scenarios.worlds.cloud_bursting.workload import JobSpec


class RunState(IntEnum):
    """Where one run of a job is. An exited instance is charged though its work is over."""

    PENDING = 0
    STARTING = 1
    RUNNING = 2
    EXITED = 3
    ENDED = 4


COMPLETED, NODE_FAIL, PREEMPTED, FAILED, CANCELLED = (
    "completed",
    "node_fail",
    "preempted",
    "failed",
    "cancelled",
)
FORCED = (NODE_FAIL, PREEMPTED, FAILED)
"""Ends that nobody asked for: the job has to be placed again."""


@dataclass(slots=True)
class Run:
    """One try to run a job in one cloud (-1 is the primary). Times in ms, -1 = not yet.

    `begun` is when the cloud gave it GPUs, `works_from` when its work begins (after its data has
    arrived), `over` when it ended, `ended` when its GPUs were free again, `kept` the work it
    resumes from, `saved` the work that its own last checkpoint holds. `hangs` says whether its
    instance will stay after its work; `right` whether it was a burst by the rules, `illegal`
    whether it was one against them; `read` has a bit for each log line that was collected.
    """

    number: int
    name: str
    job: int
    cloud: int
    key: str
    asked: int
    gpus: int
    charged_gpus: int
    state: RunState = RunState.PENDING
    end: str = ""
    changed: int = 0
    begun: int = -1
    works_from: int = -1
    ended: int = -1
    over: int = -1
    kept: int = 0
    saved: int = 0
    nodes: tuple[int, ...] = ()
    billed_to: int = -1
    cost: float = 0.0
    read: int = 0
    hangs: bool = False
    right: bool = False
    illegal: bool = False

    @property
    def live(self) -> bool:
        """Whether it is working for its job, or will."""
        return self.state < RunState.EXITED

    @property
    def serves(self) -> bool:
        """Whether its job has what it waits for: it works or came to a good end, by the rules."""
        works = self.state in (RunState.RUNNING, RunState.EXITED) or self.end == COMPLETED
        return works and not self.illegal

    def lines(self, now: int) -> int:
        """Log lines written by `now`: one at the start, one every 20 minutes, one at a good end."""
        if self.works_from < 0 or now < self.works_from:
            return 0
        until = self.over if self.over >= 0 else now
        finished = self.end == COMPLETED or self.state == RunState.EXITED
        return 1 + (until - self.works_from) // LOG_EVERY + finished


@dataclass
class JobTable:
    """Every job of the period; the index is the job's number. Times and work in ms.

    `kept[job]` maps a cloud's number to the work that its newest checkpoint there holds.
    `waiting_since` is the begin of the present wait, -1 while a run serves the job.
    """

    spec: Sequence[JobSpec]
    seen: int = 0
    done_at: list[int] = field(default_factory=list)
    kept: list[dict[int, int]] = field(default_factory=list)
    runs: list[list[Run]] = field(default_factory=list)
    waited: list[int] = field(default_factory=list)
    waiting_since: list[int] = field(default_factory=list)
    published: list[str] = field(default_factory=list)
    published_since: list[int] = field(default_factory=list)
    true_since: list[int] = field(default_factory=list)
    true_state: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.spec)
        self.done_at = [-1] * count
        self.kept = [{} for _ in range(count)]
        self.runs = [[] for _ in range(count)]
        self.waited = [0] * count
        self.waiting_since = [-1] * count
        self.published = ["submitted"] * count
        self.published_since = [0] * count
        self.true_since = [0] * count
        self.true_state = [""] * count

    def live_runs(self, job: int) -> list[Run]:
        """Runs that work for the job or will."""
        return [run for run in self.runs[job] if run.live]

    def truth(self, job: int) -> str:
        """queued, starting, running, interrupted or completed."""
        if self.done_at[job] >= 0:
            return "completed"
        live = [run.state for run in self.live_runs(job)]
        if RunState.RUNNING in live:
            return "running"
        if RunState.STARTING in live:
            return "starting"
        if live or not self.runs[job] or self.runs[job][-1].end not in FORCED:
            return "queued"
        return "interrupted"

    def total_wait(self, job: int, now: int) -> int:
        """All time in ms in which no run served the job, until it was done or until `now`."""
        since = self.waiting_since[job]
        return self.waited[job] + (now - since if since >= 0 else 0)
