"""The objects that several exercises share: immutable tuples with names.

Times are whole seconds since the beginning, money is in the currency of the documents, and memory and
data say their unit.
"""

from __future__ import annotations

from typing import NamedTuple


class Job(NamedTuple):
    """One unfinished job. All its GPUs start and stop together."""

    id: int
    priority: str
    """"high", "normal" or "low"."""
    gpus: int
    """Below one node's worth they share a node; above, they take whole nodes of one pool."""
    state: str
    """"pending", "held" (stopped, may start again soon), "running" or "saving"."""
    submitted: int
    waited: int
    """Seconds spent waiting so far, all waits together."""
    started: int
    """Begin of the present run; below 0 if it has never run."""
    limit: int
    """The owner's estimate of the run time in seconds: usually too long, never enforced."""
    spot: bool
    """Whether its owner lets it run on spot nodes."""
    checkpoint: int
    """Seconds of work between its own checkpoints; 0 if it cannot be saved."""
    protected: bool
    """Whether it is against the rules to preempt it."""
    nodes: list[str]
    name: str = ""
    team: str = ""
    user: str = ""
    queue: str = ""
    """Partition or queue it was submitted to, where there are several."""
    kind: str = ""
    """What sort of work it is, in the scenario's own words."""
    deadline: int = -1
    """When it should be done; below 0 if there is no deadline."""
    cloud: str = ""
    """Where it was placed, where there are several clouds."""
    qos: str = ""
    reason: str = ""
    """Why it waits, in Slurm's words."""
    portable: bool = False
    """Whether its data can be had at another site as well."""
    data_gb: int = 0
    """GB that have to move with it when it leaves its home cloud."""
    residency: str = ""
    """Where its data must stay; empty if they may go anywhere."""
    driver: int = 0
    """Oldest NVIDIA driver branch that its image runs with; 0 if any will do."""
    zone: str = ""
    """The zone that its data lies in, and in which it has to run; empty if anywhere will do."""
    promise: int = -1
    """Seconds it may wait in all by its team's contract; below 0 if nothing is promised."""


class Node(NamedTuple):
    """One node that is charged for."""

    name: str
    pool: str
    state: str
    """"starting", "ready" or "down"."""
    gpus: int
    free: int
    cordoned: bool
    ready_at: int
    """When it came up; below 0 while it is starting."""
    reclaim_at: int
    """When the provider will take it away; below 0 if there is no notice."""
    gpu_model: str = ""
    zone: str = ""
    rdma: bool = True
    """Whether the second network, over which gangs on several nodes talk, is up."""

    @property
    def idle(self) -> bool:
        """Up, and holding no job."""
        return self.state == "ready" and self.free == self.gpus


class Pool(NamedTuple):
    """One pool of identical nodes."""

    name: str
    spot: bool
    size: int
    """Nodes charged for: ready, starting and down together."""
    ready: int
    starting: int
    down: int
    min: int
    max: int
    price: float
    """Price of a node-hour."""
    zone: str = ""


class Queue(NamedTuple):
    """Waiting jobs of one priority."""

    jobs: int
    gpus: int
    oldest: int
    """Seconds since the oldest of them was submitted."""


class NodeMetrics(NamedTuple):
    """Mean readings of one node's GPUs over the last minute."""

    node: str
    gpu_util: int
    """Percent of time in which some kernel was resident."""
    tensor_active: float
    """Share of cycles in which the tensor cores worked, 0 to 1."""
    sm_clock: int
    """MHz."""
    temperature: int
    """Degrees Celsius."""
    power: int
    """Watts for each GPU."""
    xid: int
    """Number of the last Xid error; 0 if there was none."""


class Metrics(NamedTuple):
    """What the monitoring system knows."""

    at: int
    queues: dict[str, Queue]
    """By priority."""
    gpus_total: int
    gpus_busy: int
    spend: float
    """Money spent since the beginning."""
    nodes: dict[str, NodeMetrics]
    """By node name. A node whose scrape failed is missing."""
    budget: float = -1.0
    """Money that all nodes may cost; below 0 if nobody set a budget."""


class Event(NamedTuple):
    """Something that happened during the last tick."""

    at: int
    kind: str
    """For example "spot_notice", "reclaimed", "node_down" or "start_failed"."""
    node: str
    """What it happened to: a node, or what the kind is about."""


class ScaleResult(NamedTuple):
    """What became of a scale call: compare `size` with `asked`."""

    pool: str
    asked: int
    size: int
    launched: int
    removed: list[str]


class DrainResult(NamedTuple):
    """Jobs by number: those being saved away, and those that will run to their end."""

    node: str
    saving: list[int]
    staying: list[int]
