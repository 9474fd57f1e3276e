"""Fragmentation gradient descent: each pod goes where it strands the fewest GPUs.

A node's fragmentation is the GPU thousandths that a typical pod could not use there,
weighed by how common that kind of pod is. Rules: FGD (USENIX ATC 2023), as facts.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scenarios.simulator.placement.fleet import Fleet
from scenarios.simulator.placement.tables import WHOLE, Demand

COVERED_PERCENT = 95
"""Kinds are taken from the most common on until they cover this much of all pods."""
NO_ROOM = -1

Gpus = tuple[int, ...]
"""Thousandths left on each GPU of a node."""


@dataclass(frozen=True, slots=True)
class TypicalKind:
    """One kind of pod and how many there were of it."""

    cpu: int
    gpus: int
    milli: int
    pods: int


def typical_kinds(demands: Iterable[Demand]) -> list[TypicalKind]:
    """The most common kinds (CPU, GPUs, share), commonest first, ties by smaller demand."""
    counts = Counter((demand.cpu, demand.gpus, demand.milli) for demand in demands)
    total, covered = counts.total(), 0
    kinds: list[TypicalKind] = []
    for kind, pods in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if covered * 100 >= COVERED_PERCENT * total:
            break
        kinds.append(TypicalKind(*kind, pods))
        covered += pods
    return kinds


class Fragmentation:
    """Fragmentation of a node in pod-weighted thousandths: divide by `pods` for the mean.

    For given GPUs it is all idle thousandths less what each kind can use once there is CPU
    enough; `_usable` holds that, summed up over kinds in order of their CPU.
    """

    def __init__(self, kinds: list[TypicalKind]) -> None:
        self.kinds = sorted((kind for kind in kinds if kind.gpus), key=lambda kind: kind.cpu)
        self.pods = sum(kind.pods for kind in kinds)
        self._cpus = [kind.cpu for kind in self.kinds]
        self._usable: dict[Gpus, list[int]] = {}

    def of(self, cpu: int, gpus: Gpus) -> int:
        """Fragmentation of a node with so much CPU and these GPUs left."""
        usable = self._usable.get(gpus)
        if usable is None:
            usable = self._usable[gpus] = self._sums(gpus)
        return self.pods * sum(gpus) - usable[bisect_right(self._cpus, cpu)]

    def _sums(self, gpus: Gpus) -> list[int]:
        sums = [0]
        for kind in self.kinds:
            fitting = [left for left in gpus if left >= kind.milli]
            can = sum(fitting) if len(fitting) >= kind.gpus else 0
            sums.append(sums[-1] + kind.pods * can)
        return sums


class Fgd:
    """Chooses by scores kept per kind of pod and node; only touched nodes are scored again."""

    def __init__(self, fleet: Fleet, kinds: list[TypicalKind]) -> None:
        self.fleet = fleet
        self.fragmentation = Fragmentation(kinds)
        self._touched: list[int] = []
        self._rows: dict[Demand, tuple[np.ndarray[tuple[int], np.dtype[np.int16]], int]] = {}

    def choose(self, demand: Demand) -> tuple[int, list[int]] | None:
        """Node and GPUs for the pod, or None where no node has room."""
        row = self._row(demand)
        node = int(row.argmax())
        if row[node] == NO_ROOM:
            return None
        if demand.shares:
            return node, [self._best_share(node, demand)[1]]
        return node, self.fleet.tightest(node, demand)

    def placed(self, node: int, demand: Demand) -> None:
        """The node's scores are outdated."""
        self._touched.append(node)

    def _row(self, demand: Demand) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
        known = self._rows.get(demand)
        if known is None:
            row, stale = np.full(len(self.fleet), NO_ROOM, np.int16), set(range(len(self.fleet)))
        else:
            row, stale = known[0], set(self._touched[known[1] :])
        for node in stale:
            row[node] = self._score(node, demand)
        self._rows[demand] = row, len(self._touched)
        return row

    def _score(self, node: int, demand: Demand) -> int:
        fleet = self.fleet
        if fleet.cpu[node] < demand.cpu or fleet.memory[node] < demand.memory:
            return NO_ROOM
        if demand.shares:
            has = fleet.most[node] >= demand.milli
            return self._best_share(node, demand)[0] if has else NO_ROOM
        if fleet.whole[node] < demand.gpus:
            return NO_ROOM
        cpu, gpus = int(fleet.cpu[node]), tuple(fleet.gpus[node])
        left = list(gpus)
        for gpu in fleet.tightest(node, demand) if demand.gpus else ():
            left[gpu] = 0
        return self._gain(cpu, gpus, demand, left)

    def _best_share(self, node: int, demand: Demand) -> tuple[int, int]:
        """(best score, the first GPU that has it)."""
        cpu, gpus = int(self.fleet.cpu[node]), tuple(self.fleet.gpus[node])
        best, seen = (NO_ROOM, -1), set()
        for gpu, milli in enumerate(gpus):
            if milli < demand.milli or milli in seen:
                continue
            seen.add(milli)
            left = list(gpus)
            left[gpu] = milli - demand.milli
            score = self._gain(cpu, gpus, demand, left)
            if score > best[0]:
                best = score, gpu
        return best

    def _gain(self, cpu: int, gpus: Gpus, demand: Demand, left: list[int]) -> int:
        before = self.fragmentation.of(cpu, tuple(sorted(gpus)))
        after = self.fragmentation.of(cpu - demand.cpu, tuple(sorted(left)))
        gain = (before - after) / (self.fragmentation.pods * WHOLE)
        return int(100 / (1 + math.exp(-gain)))
