"""The quota tree: who owns how much, who lends and borrows, and what is still to be had.

Nodes are numbered: queues are leaves, cohorts the rest. A quota column is one resource of
one flavour. Every amount is a whole number. Rules: Kueue's resource tree, as facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Amounts = dict[int, int]
"""Quota column -> amount."""

DEEPEST = 64
"""Cohorts above one queue, at most."""


@dataclass(frozen=True, slots=True)
class Quota:
    """What one node owns of one column; None means no limit."""

    nominal: int = 0
    borrowing: int | None = None
    lending: int | None = None


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node as configured. `parent` is a cohort's name or None; `quotas` by column."""

    name: str
    parent: str | None
    queue: bool
    quotas: dict[int, Quota] = field(default_factory=dict)
    weight: Fraction | int = 1


class QuotaTree:
    """Quota and use of every node, kept up to date by `add` and `remove`.

    `subtree[node][column]` is what the node and all below it can use together without
    borrowing; `local[node][column]` the part of it that is never lent upwards.
    """

    def __init__(self, specs: Sequence[NodeSpec], columns: int) -> None:
        """Build from specs in any order; ValueError where cohorts form a circle."""
        number = {spec.name: node for node, spec in enumerate(specs) if not spec.queue}
        self.columns = columns
        self.names = [spec.name for spec in specs]
        self.queue = [spec.queue for spec in specs]
        self.weight = [spec.weight for spec in specs]
        self.quotas = [spec.quotas for spec in specs]
        self.parent = [-1 if s.parent is None else number[s.parent] for s in specs]
        self.cohorts_below: list[list[int]] = [[] for _ in specs]
        self.queues_below: list[list[int]] = [[] for _ in specs]
        for node, above in enumerate(self.parent):
            if above >= 0:
                (self.queues_below if self.queue[node] else self.cohorts_below)[above].append(node)
        self.subtree = [[0] * columns for _ in specs]
        self.local = [[0] * columns for _ in specs]
        self.used = [[0] * columns for _ in specs]
        self._collect_quotas()

    def _collect_quotas(self) -> None:
        order = [node for node, above in enumerate(self.parent) if above < 0]
        for node in order:
            order.extend(self.cohorts_below[node] + self.queues_below[node])
        if len(order) < len(self.names):
            lost = sorted(set(self.names) - {self.names[node] for node in order})
            raise ValueError(f"The cohorts above {lost[0]} form a circle.")
        if max(map(self._depth, order), default=0) > DEEPEST:
            raise ValueError(f"Cohorts are nested more than {DEEPEST} deep.")
        for node in reversed(order):
            for column in range(self.columns):
                self._settle(node, column)

    def _depth(self, node: int) -> int:
        depth = 0
        while depth <= DEEPEST and self.parent[node] >= 0:
            node, depth = self.parent[node], depth + 1
        return depth

    def _settle(self, node: int, column: int) -> None:
        quota = self.quotas[node].get(column, Quota())
        self.subtree[node][column] += quota.nominal
        total, above = self.subtree[node][column], self.parent[node]
        if quota.lending is not None:
            self.local[node][column] = max(0, total - quota.lending)
        if above >= 0:
            self.subtree[above][column] += total - self.local[node][column]

    def path(self, node: int) -> list[int]:
        """The node and everything above it, root last."""
        nodes = [node]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(self.parent[nodes[-1]])
        return nodes

    def nominal(self, node: int, column: int) -> int:
        """What the node itself owns."""
        return self.quotas[node][column].nominal if column in self.quotas[node] else 0

    def _limit(self, node: int, column: int) -> int | None:
        return self.quotas[node][column].borrowing if column in self.quotas[node] else None

    def spare_local(self, node: int, column: int) -> int:
        """Unused part of what the node never lends."""
        return max(0, self.local[node][column] - self.used[node][column])

    def available(self, node: int, column: int) -> int:
        """What one more workload could take here now; negative when the tree is overdrawn."""
        above = self.parent[node]
        subtree, local, used = (
            self.subtree[node][column],
            self.local[node][column],
            self.used[node][column],
        )
        if above < 0:
            return subtree - used
        from_above = self.available(above, column)
        limit = self._limit(node, column)
        if limit is not None:
            from_above = min(from_above, subtree - local - max(0, used - local) + limit)
        return max(0, local - used) + from_above

    def potential(self, node: int, column: int) -> int:
        """What the node could use at most with the whole tree empty."""
        above = self.parent[node]
        if above < 0:
            return self.subtree[node][column]
        most = self.local[node][column] + self.potential(above, column)
        limit = self._limit(node, column)
        return most if limit is None else min(most, self.subtree[node][column] + limit)

    def add(self, node: int, amounts: Amounts) -> None:
        """Charge a workload to its queue; what exceeds local quota is charged above as well."""
        for column, amount in amounts.items():
            at, left = node, amount
            while at >= 0 and left > 0:
                spare = self.spare_local(at, column)
                self.used[at][column] += left
                at, left = self.parent[at], left - spare

    def remove(self, node: int, amounts: Amounts) -> None:
        """Undo `add`."""
        for column, amount in amounts.items():
            at, left = node, amount
            while at >= 0 and left > 0:
                stored_above = self.used[at][column] - self.local[at][column]
                self.used[at][column] -= left
                at, left = self.parent[at], min(left, stored_above)

    def fits(self, node: int, amounts: Amounts, borrowing: bool = True) -> bool:
        """True when the queue can take the amounts now, without borrowing if so asked."""
        for column, amount in amounts.items():
            over = self.used[node][column] + amount > self.nominal(node, column)
            if over and not borrowing:
                return False
            if amount > self.available(node, column):
                return False
        return True

    def within_quota(self, node: int, columns: Sequence[int]) -> bool:
        """True when the node borrows none of the columns."""
        subtree, used = self.subtree[node], self.used[node]
        return all(used[column] <= subtree[column] for column in columns)
