"""How many new nodes pending pods need, as the cluster autoscaler estimates it.

It knows neither prices nor delays: it only fills copies of one node template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_NEW_NODES = 1_000
"""Default cap of one scale-up."""
PODS_PER_NODE = 110
"""Default of the kubelet."""


@dataclass(frozen=True, slots=True)
class Template:
    """A node as it would come up: allocatable amounts by resource, and the most pods it runs."""

    amounts: Mapping[str, int]
    pods: int = PODS_PER_NODE


@dataclass(frozen=True, slots=True)
class PodGroup:
    """`count` pods of one spec. `per_node` bounds how many of them share a node:

    1 for pods that exclude their like, the skew for an even spread over hosts, None without
    such a rule.
    """

    count: int
    amounts: Mapping[str, int]
    per_node: int | None = None


@dataclass(slots=True)
class Estimate:
    """New nodes, and how many pods of each group (in the order given) they hold."""

    nodes: int
    placed: list[int]


@dataclass(slots=True)
class _Node:
    left: dict[str, int]
    pods: int

    def room(self, group: PodGroup) -> int:
        """How many pods of the group still fit."""
        rooms = [self.pods, group.count if group.per_node is None else group.per_node]
        rooms += [
            self.left.get(name, 0) // amount for name, amount in group.amounts.items() if amount
        ]
        return max(0, min(rooms))

    def add(self, group: PodGroup, count: int) -> None:
        self.pods -= count
        for name, amount in group.amounts.items():
            self.left[name] = self.left.get(name, 0) - count * amount


@dataclass(slots=True)
class _Filling:
    template: Template
    most: int
    nodes: list[_Node] = field(default_factory=list)

    def fill(self, group: PodGroup) -> int:
        """Put pods on the nodes there are, first fit, then on new ones up to the cap."""
        left = group.count
        for node in self.nodes:
            if not left:
                return group.count
            left -= self._put(node, group, left)
        while left and len(self.nodes) < self.most:
            node = _Node(dict(self.template.amounts), self.template.pods)
            put = self._put(node, group, left)
            if not put:
                break
            self.nodes.append(node)
            left -= put
        return group.count - left

    def _put(self, node: _Node, group: PodGroup, left: int) -> int:
        count = min(left, node.room(group))
        node.add(group, count)
        return count


def estimate_nodes(
    template: Template, groups: Sequence[PodGroup], most: int = MOST_NEW_NODES
) -> Estimate:
    """Nodes for the groups, largest pods first (the sum of their parts of a node), first fit.

    `most` caps the new nodes. Rules: cluster-autoscaler 1.36, as facts.
    """

    def size(number: int) -> float:
        asked = groups[number].amounts.items()
        return sum(amount / template.amounts[name] for name, amount in asked if _has(name))

    def _has(name: str) -> bool:
        return template.amounts.get(name, 0) > 0

    filling, placed = _Filling(template, most), [0] * len(groups)
    for number in sorted(range(len(groups)), key=size, reverse=True):
        placed[number] = filling.fill(groups[number])
    return Estimate(len(filling.nodes), placed)
