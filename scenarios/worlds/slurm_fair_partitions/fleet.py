"""The nodes of one partition: what is free on them, who reserved them; knows no queue."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.slurm.nodes import members
from scenarios.simulator.slurm.plan import Held
from scenarios.worlds.slurm_fair_partitions.config import PartitionShape


@dataclass(slots=True)
class Reservation:
    """Whole nodes (a mask) of a partition kept for one team from `start` to `end` ms."""

    name: str
    team: int
    partition: int
    nodes: int
    start: int
    end: int


class Fleet:
    """Nodes of a partition as bit masks, lowest bit the first node."""

    def __init__(self, shape: PartitionShape) -> None:
        self.shape = shape
        self.names = [f"{shape.prefix}-{number + 1:02d}" for number in range(shape.nodes)]
        self.free = [shape.per_node] * shape.nodes
        self.up = (1 << shape.nodes) - 1
        self.max_time = shape.max_time
        self.allow_qos: tuple[int, ...] = ()
        """QOS numbers that may submit here; none named means all may."""
        self._levels: list[int] | None = None

    def at_least(self) -> list[int]:
        """Entry k: mask of the nodes that are up with k or more GPUs free."""
        if self._levels is None:
            levels = [0] * (self.shape.per_node + 1)
            for number, free in enumerate(self.free):
                bit = self.up & 1 << number
                if bit:
                    for k in range(free + 1):
                        levels[k] |= bit
            self._levels = levels
        return self._levels

    def take(self, held: Held) -> None:
        """Give GPUs to a job."""
        self._change(held, -1)

    def give(self, held: Held) -> None:
        """Take GPUs back from a job."""
        self._change(held, 1)

    def _change(self, held: Held, sign: int) -> None:
        whole, shared, gpus = held
        for node in members(whole):
            self.free[node] += sign * self.shape.per_node
        for node in members(shared):
            self.free[node] += sign * gpus
        self._levels = None

    def set_up(self, node: int, up: bool) -> None:
        """A node dies or comes back."""
        self.up = self.up | 1 << node if up else self.up & ~(1 << node)
        self._levels = None

    def node_names(self, held: Held) -> list[str]:
        """The names of the nodes that a job holds, in order."""
        return [self.names[node] for node in members(held[0] | held[1])]

    @property
    def gpus_up(self) -> int:
        return self.up.bit_count() * self.shape.per_node

    @property
    def gpus_free(self) -> int:
        return sum(self.free[node] for node in members(self.up))
