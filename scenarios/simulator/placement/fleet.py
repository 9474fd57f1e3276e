"""What is left on every node: CPU, memory, and each GPU in thousandths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenarios.simulator.placement.tables import WHOLE, Demand, NodeTable

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Fleet:
    """Left-over resources by node, in the order of the node table.

    `gpus[node]` lists the thousandths left on each GPU; `whole`, `most` and `idle` are its
    untouched GPUs, its emptiest GPU and its sum, kept in step by `take` and `give`.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self.names = nodes.names
        self.cpu: Ints = np.array(nodes.cpu, np.int64)
        self.memory: Ints = np.array(nodes.memory, np.int64)
        self.gpus = [[WHOLE] * count for count in nodes.gpus]
        self.count: Ints = np.array(nodes.gpus, np.int64)
        self.whole: Ints = self.count.copy()
        self.most: Ints = np.minimum(self.count, 1) * WHOLE
        self.idle: Ints = self.count * WHOLE
        self.total = int(self.idle.sum())

    def __len__(self) -> int:
        return len(self.names)

    def feasible(self, demand: Demand) -> Mask:
        """Which nodes have room: enough CPU and memory, and the GPUs or the share."""
        room: Mask = self.cpu >= demand.cpu
        room &= self.memory >= demand.memory
        if demand.shares:
            room &= self.most >= demand.milli
        elif demand.gpus:
            room &= self.whole >= demand.gpus
        return room

    def tightest(self, node: int, demand: Demand) -> list[int]:
        """The GPUs to use: for a share the fullest that has it, else the first untouched."""
        left = self.gpus[node]
        if demand.shares:
            room = [gpu for gpu, milli in enumerate(left) if milli >= demand.milli]
            return [min(room, key=left.__getitem__)]
        return [gpu for gpu, milli in enumerate(left) if milli == WHOLE][: demand.gpus]

    def take(self, node: int, demand: Demand, gpus: Sequence[int]) -> None:
        """Charge the pod to the node and the GPUs."""
        self._change(node, demand, gpus, -1)

    def give(self, node: int, demand: Demand, gpus: Sequence[int]) -> None:
        """Undo `take`."""
        self._change(node, demand, gpus, 1)

    def _change(self, node: int, demand: Demand, gpus: Sequence[int], sign: int) -> None:
        self.cpu[node] += sign * demand.cpu
        self.memory[node] += sign * demand.memory
        if not gpus:
            return
        left = self.gpus[node]
        for gpu in gpus:
            left[gpu] += sign * demand.milli
        self.idle[node] += sign * demand.milli * len(gpus)
        self.whole[node] = left.count(WHOLE)
        self.most[node] = max(left)
