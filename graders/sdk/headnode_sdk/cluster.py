"""The cluster as one object: time, reads, writes; knows no wire format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._channel import ApiError, call
from .alerts import AlertVerbs
from .checkpoints import CheckpointVerbs
from .clouds import CloudVerbs
from .errors import specific
from .model import DrainResult, Event, Job, Metrics, Node, NodeMetrics, Pool, Queue, ScaleResult
from .quotas import QuotaReads, SlurmVerbs
from .slices import SliceVerbs
from .workloads import WorkloadVerbs

Call = Callable[..., Any]


def connect() -> Cluster:
    """The cluster this program was started for. It costs nothing and may be called once more."""
    return Cluster(call)


class Cluster(
    SliceVerbs, CloudVerbs, CheckpointVerbs, QuotaReads, SlurmVerbs, AlertVerbs, WorkloadVerbs
):
    """Reads answer with what the cluster knew at `read_at`; writes say what they did.

    Every read and write may raise `ApiTimeout` or `RateLimited`; see `errors`.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self.now = 0
        """Seconds since the day began."""
        self.events: list[Event] = []
        """What happened during the last tick."""
        self.read_at = 0
        """The instant that the last read shows; earlier than `now` when the answer was stale."""

    def _ask(self, method: str, **params: object) -> Any:
        try:
            return self._call(method, **params)
        except ApiError as error:
            raise specific(error) from None

    def _read(self, method: str, **params: object) -> Any:
        answer = self._ask(method, **params)
        self.read_at = answer["at"]
        return answer["rows"]

    def tick(self) -> bool:
        """Let a minute pass. True while the day goes on, False once it is over."""
        answer = self._ask("tick")
        self.now = answer["t"]
        self.events = [Event._make(row) for row in answer["events"]]
        return not answer["done"]

    def jobs(self) -> list[Job]:
        """Every job that is not finished, oldest number first."""
        return [Job(*row) for row in self._read("jobs")]

    def nodes(self) -> list[Node]:
        """Every node that is charged for."""
        return [Node(*row) for row in self._read("nodes")]

    def pools(self) -> dict[str, Pool]:
        """The pools by name."""
        return {row[0]: Pool(*row) for row in self._read("pools")}

    def metrics(self) -> Metrics:
        """Queues, GPUs, spend and readings of each node."""
        rows = self._read("metrics")
        queues = {name: Queue._make(row) for name, row in rows["queue"].items()}
        nodes = {row[0]: NodeMetrics._make(row) for row in rows["nodes"]}
        busy, total = rows["gpus_busy"], rows["gpus_total"]
        budget = rows.get("budget", -1.0)
        return Metrics(rows["at"], queues, total, busy, rows["spend"], nodes, budget)

    def scale(self, pool: str, size: int) -> ScaleResult:
        """Bring a pool to `size` nodes.

        Upwards nodes are started, as many as the provider has. Downwards only empty nodes go:
        down ones first, then cordoned, then idle, then starting ones; the rest stay.
        Raises InvalidRequest outside the pool's bounds.
        """
        answer = self._ask("scale", pool=pool, size=size)
        return ScaleResult(**answer)

    def release(self, node: str) -> None:
        """Give one empty or down node back. Raises Conflict while it holds jobs."""
        self._ask("release", node=node)

    def cordon(self, node: str) -> None:
        """Let no new job start on the node."""
        self._ask("cordon", node=node)

    def uncordon(self, node: str) -> None:
        """Let jobs start on the node again."""
        self._ask("uncordon", node=node)

    def drain(self, node: str) -> DrainResult:
        """Cordon the node and save away every job that can be saved; the others finish there."""
        return DrainResult(**self._ask("drain", node=node))

    def preempt(self, job: int) -> bool:
        """Stop a running job so that it waits again. False if it lost its work.

        Raises Conflict if it is not running.
        """
        return bool(self._ask("preempt", job=job)["saved"])

    def log(self, text: object) -> None:
        """Put a line on the run's timeline, at the cluster's present time."""
        self._ask("log", text=str(text)[:200])
