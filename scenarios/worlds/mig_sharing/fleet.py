"""Nodes, GPUs and what stands on them; knows no rule of what may happen when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.simulator.topology import Locality, Topology
from scenarios.worlds.mig_sharing.kinds import SLICES, Placement, places
from scenarios.worlds.mig_sharing.settings import Config


class GpuState(IntEnum):
    """Where a GPU is. A faulty one works again after a reset, a lost one after a repair."""

    READY = 0
    CHANGING = 1
    FAILED = 2
    FAULTY = 3
    LOST = 4


@dataclass(slots=True)
class Replica:
    """One copy of a service on one instance. It serves from `ready_at` ms on."""

    number: int
    service: int
    gpu: int
    start: int
    kind: int
    ready_at: int
    ready: bool = False
    version: int = 0


@dataclass(slots=True)
class Gpu:
    """One card. `mig` is whether it is partitioned; `layout` by first memory slice.

    `held` is what stands on each instance; `gang` the training run on the whole card, or -1.
    `shared` is whether tenants are on it, or on its node, whom the rules keep apart.
    """

    number: int
    node: int
    name: str
    state: GpuState = GpuState.READY
    mig: bool = False
    layout: tuple[Placement, ...] = ()
    held: dict[int, Replica] = field(default_factory=dict)
    gang: int = -1
    xid: int = 0
    version: int = 0
    wanted: tuple[Placement, ...] = ()
    settled_at: int = -1
    empty_since: int = 0
    shared: bool = False

    @property
    def empty(self) -> bool:
        return not self.held and self.gang < 0

    @property
    def whole(self) -> bool:
        """Ready for training: not partitioned, nothing on it."""
        return self.state == GpuState.READY and not self.mig and self.gang < 0

    def kind_at(self, start: int) -> int | None:
        """The kind of instance at a memory slice; None where none begins."""
        return next((kind for at, kind in self.layout if at == start), None)

    def free(self) -> list[Placement]:
        """Instances with nothing on them."""
        if self.state != GpuState.READY:
            return []
        return [place for place in self.layout if place[0] not in self.held]


@dataclass(slots=True)
class Node:
    """One machine. `maintained_at` is when announced maintenance begins, -1 without."""

    number: int
    name: str
    up: bool = True
    cordoned: bool = False
    rdma: bool = True
    maintained_at: int = -1
    hung_since: int = -1
    """Since when its device plugin no longer reports, -1 while it does. In ms."""


class Fleet:
    """Every node and GPU of the cluster, with the layouts the old script left behind."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.nodes = [Node(n, f"n{n + 1:02d}") for n in range(config.nodes)]
        per = config.gpus_per_node
        self.gpus = [
            Gpu(n * per + i, n, f"n{n + 1:02d}/{i}")
            for n in range(config.nodes)
            for i in range(per)
        ]
        self.by_name = {gpu.name: gpu for gpu in self.gpus}
        self.node_by_name = {node.name: node for node in self.nodes}
        for gpu in self.gpus:
            self._lay(gpu)

    def _lay(self, gpu: Gpu) -> None:
        """The first GPUs of each node hold small instances, the next mixed ones, the rest none."""
        index = gpu.number % self.config.gpus_per_node
        share = index / self.config.gpus_per_node
        kinds = (0,) * SLICES if share < 0.25 else (0, 0, 2, 3) if share < 0.625 else ()
        gpu.layout, gpu.mig = places(self.config.card, kinds) or (), bool(kinds)

    def of(self, node: Node) -> list[Gpu]:
        """The node's GPUs."""
        per = self.config.gpus_per_node
        return self.gpus[node.number * per : (node.number + 1) * per]

    def usable(self, gpu: Gpu) -> bool:
        """Whether anything may be put on the GPU's node now."""
        node = self.nodes[gpu.node]
        return node.up and not node.cordoned

    # -- gangs on whole GPUs -----------------------------------------------------------

    def topology(self) -> Topology:
        """The second network as it is: one leaf for all whose links are up, the others alone."""
        return Topology([-1 if node.rdma else node.number for node in self.nodes])

    def locality(self, gpus: Iterable[int]) -> Locality:
        """How near to each other GPUs of these numbers are."""
        return self.topology().locality(self.gpus[number].node for number in gpus)

    def room(self, gpus: Iterable[Gpu]) -> int:
        """How many of these GPUs the largest gang could have whose network is up."""
        return self.topology().room(gpu.node for gpu in gpus)
