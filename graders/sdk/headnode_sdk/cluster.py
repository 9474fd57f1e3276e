"""The cluster as one object: time, reads, writes; knows no wire format."""

from __future__ import annotations

from ._channel import call
from ._verbs import Call
from .alerts import AlertVerbs
from .checkpoints import CheckpointVerbs
from .clouds import CloudVerbs
from .model import DrainResult, Event, Job, Metrics, Node, NodeMetrics, Pool, Queue, ScaleResult
from .quotas import QuotaReads, SlurmVerbs
from .slices import SliceVerbs
from .workloads import WorkloadVerbs


def connect() -> Cluster:
    """The cluster this program was started for. It costs nothing and may be called once more."""
    return Cluster(call)


class Cluster(
    SliceVerbs, CloudVerbs, CheckpointVerbs, QuotaReads, SlurmVerbs, AlertVerbs, WorkloadVerbs
):
    """Reads answer with what the cluster knew at `read_at`; writes say what they did.

    Which of the verbs a cluster has is in the exercise's API reference; any other raises
    `InvalidRequest`. Every read and write may raise `ApiTimeout` or `RateLimited`; see `errors`.
    """

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.now = 0
        """Seconds since the beginning."""
        self.events: list[Event] = []
        """What happened during the last tick."""

    def tick(self) -> bool:
        """Let one step of time pass: True while there is more to come, False at the end.

        How long a step is stands in the API reference. After the end it raises `ApiError`
        with the code "over".
        """
        answer = self._ask("tick")
        self.now = answer["t"]
        self.events = [Event(*row) for row in answer["events"]]
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
        queues = {name: Queue(*row) for name, row in rows["queue"].items()}
        nodes = {row[0]: NodeMetrics(*row) for row in rows["nodes"]}
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

    def requeue(self, job: int) -> int:
        """Stop a running job so that it waits again; answers the GPU-seconds that it lost."""
        return int(self._ask("requeue", job=job)["lost"])

    def cancel(self, job: int) -> None:
        """End a job for good."""
        self._ask("cancel", job=job)

    def log(self, text: object) -> None:
        """Put a line on the run's timeline, at the cluster's present time."""
        self._ask("log", text=str(text)[:200])
