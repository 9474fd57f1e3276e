"""Scores of every node for one pod under best fit, packing and clustering: 0 to 100.

The rules are those of the simulator published with "Beware of Fragmentation" (FGD, USENIX
ATC 2023), as facts; the highest score wins, the first node among equals.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from scenarios.simulator.placement.fleet import Fleet, Ints
from scenarios.simulator.placement.tables import WHOLE, Demand

TOP = 100
LARGEST_CPU = 128_000
LARGEST_GPU = 8_000
"""The largest node of the published trace, in thousandths: what left-overs are measured by."""


class Chooser(Protocol):
    """A packing policy: where a pod goes, and what it needs to know afterwards."""

    def choose(self, demand: Demand) -> tuple[int, list[int]] | None:
        """Node and GPUs for the pod, or None where no node has room."""

    def placed(self, node: int, demand: Demand) -> None:
        """The pod has been charged to the node."""


class _Scored:
    """Chooses the first of the best-scored nodes that have room, and there the tightest GPU."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet

    def choose(self, demand: Demand) -> tuple[int, list[int]] | None:
        room = self.fleet.feasible(demand)
        nodes = np.flatnonzero(room)
        if not len(nodes):
            return None
        node = int(nodes[self.scores(nodes, demand).argmax()])
        return node, self.fleet.tightest(node, demand)

    def scores(self, nodes: Ints, demand: Demand) -> Ints:
        """Whole-number scores of the given nodes."""
        raise TypeError(f"{type(self).__name__} gives no scores.")

    def placed(self, node: int, demand: Demand) -> None:
        """Nothing to remember."""


class BestFit(_Scored):
    """The node with least left afterwards, CPU and GPU counting half each.

    In floating point and in this order of operations, because truncation to a whole number
    makes a tie, or none, of a score that lies on the boundary.
    """

    def scores(self, nodes: Ints, demand: Demand) -> Ints:
        fleet = self.fleet
        left = (fleet.cpu[nodes] - demand.cpu) / LARGEST_CPU * 0.5
        left += (fleet.idle[nodes] - demand.gpu_milli) / LARGEST_GPU * 0.5
        return ((1.0 - left) * TOP).astype(np.int64)


class GpuPacking(_Scored):
    """GPUs in use before untouched GPUs of a node in use before untouched nodes."""

    def scores(self, nodes: Ints, demand: Demand) -> Ints:
        fleet = self.fleet
        if not demand.gpus:
            return np.zeros(len(nodes), np.int64)
        whole, count = fleet.whole[nodes], fleet.count[nodes]
        used = np.full(len(nodes), max(TOP // 2 - demand.gpus, TOP // 3), np.int64)
        if demand.shares:
            for place, node in enumerate(nodes.tolist()):
                left = [milli for milli in fleet.gpus[node] if demand.milli <= milli < WHOLE]
                if left:
                    used[place] = max(TOP - min(left) // 10 // 10, TOP // 2)
        return np.where(whole == count, np.maximum(TOP // 3 - whole, whole), used)


class GpuClustering(_Scored):
    """Pods of one kind (share, or a number of GPUs) together: their nodes before empty ones."""

    def __init__(self, fleet: Fleet) -> None:
        super().__init__(fleet)
        self.hosts: dict[int, Ints] = {}
        self.kinds: Ints = np.zeros(len(fleet), np.int64)

    def _hosts(self, demand: Demand) -> Ints:
        kind = 0 if demand.shares else demand.gpus
        return self.hosts.setdefault(kind, np.zeros(len(self.fleet), np.int64))

    def scores(self, nodes: Ints, demand: Demand) -> Ints:
        if not demand.gpus:
            return np.zeros(len(nodes), np.int64)
        quarter = TOP // 4
        fullness = quarter * (LARGEST_GPU - self.fleet.idle[nodes]) // LARGEST_GPU
        kinds, same = self.kinds[nodes], self._hosts(demand)[nodes] > 0
        shared = np.where(kinds == 1, 3 * quarter, 2 * quarter)
        other = np.where(kinds == 0, quarter, 0)
        scores: Ints = fullness + np.where(same, shared, other)
        return scores

    def placed(self, node: int, demand: Demand) -> None:
        """Remember which kinds the node hosts."""
        if demand.gpus:
            hosts = self._hosts(demand)
            self.kinds[node] += hosts[node] == 0
            hosts[node] += 1
