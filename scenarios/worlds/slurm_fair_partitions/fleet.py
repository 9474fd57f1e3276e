"""The nodes of one partition with its queue, and what is reserved on them."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.simulator.machine import Nodes
from scenarios.simulator.slurm.nodes import members
from scenarios.simulator.slurm.plan import Held
from scenarios.simulator.slurm.queue import Queue
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
    """A partition as it is: its settings, and `queue` with its nodes, in bit masks."""

    def __init__(self, shape: PartitionShape) -> None:
        self.shape = shape
        self.names = [f"{shape.prefix}-{number + 1:02d}" for number in range(shape.nodes)]
        self.nodes = Nodes(shape.nodes, shape.per_node)
        self.queue = Queue(self.nodes)
        self.max_time = shape.max_time
        self.allow_qos: tuple[int, ...] = ()
        """QOS numbers that may submit here; none named means all may."""

    def node_names(self, held: Held) -> list[str]:
        """The names of the nodes that a job holds, in order."""
        return [self.names[node] for node in members(held[0] | held[1])]
