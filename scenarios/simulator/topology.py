"""How near to each other the GPUs of a gang are: nodes, and the leaf switches they hang on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Locality:
    """Nodes and leaf switches that a gang spans."""

    nodes: int
    leaves: int


@dataclass(frozen=True)
class Topology:
    """`leaf[node]` is the leaf switch of a node."""

    leaf: Sequence[int]

    def locality(self, nodes: Iterable[int]) -> Locality:
        """How near to each other GPUs on these nodes are."""
        spanned = set(nodes)
        return Locality(len(spanned), len({self.leaf[node] for node in spanned}))

    def room(self, free: Iterable[int]) -> int:
        """The most GPUs that are free under one leaf; `free` has the node of each free one."""
        return max(Counter(self.leaf[node] for node in free).values(), default=0)
