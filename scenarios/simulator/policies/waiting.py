"""The queue of a backfilling policy: in order of submission, searchable by size and estimate."""

from __future__ import annotations

from scenarios.simulator.engine import Simulation
from scenarios.simulator.policies.fcfs import ranks

NONE = 1 << 100
"""Stands for no job: larger than any estimate or rank."""


class Waiting:
    """Waiting jobs, the head in constant time, the first short enough of each size in O(log n).

    One tree of minima of estimates for each job size, leaves in order of submission: finding
    who may pass a blocked head never rescans the queue. `trees` lists (size, tree, ranks of
    the leaves) by ascending size; `tree[1]` is the smallest estimate, the leaves start at
    half its length.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._rank, self._procs = ranks(simulation), simulation.procs
        self._order = simulation.order
        self._leaf = [0] * len(self._order)
        members: dict[int, list[int]] = {}
        for rank, job in enumerate(self._order):
            group = members.setdefault(self._procs[job], [])
            self._leaf[job] = len(group)
            group.append(rank)
        self.trees = [
            (size, _empty_tree(len(members[size])), members[size]) for size in sorted(members)
        ]
        self._tree_of = {size: tree for size, tree, _ in self.trees}
        self._there = bytearray(len(self._order) + 1)
        self._first = self._end = 0

    def head(self) -> int:
        """The job waiting since the earliest submission; -1 when nobody waits."""
        there, first, end = self._there, self._first, self._end
        while first < end and not there[first]:
            first += 1
        self._first = first
        return self._order[first] if first < end else -1

    def add(self, job: int, estimate: int) -> None:
        """`job` waits, at the place of its submission."""
        rank = self._rank[job]
        self._there[rank] = 1
        if rank < self._first:
            self._first = rank
        if rank >= self._end:
            self._end = rank + 1
        tree = self._tree_of[self._procs[job]]
        i = (len(tree) >> 1) + self._leaf[job]
        while i and tree[i] > estimate:
            tree[i] = estimate
            i >>= 1

    def remove(self, job: int) -> None:
        """`job` waits no longer."""
        self._there[self._rank[job]] = 0
        tree = self._tree_of[self._procs[job]]
        i = (len(tree) >> 1) + self._leaf[job]
        gone, tree[i] = tree[i], NONE
        while i > 1:
            left, right = tree[i], tree[i ^ 1]
            least = left if left < right else right
            i >>= 1
            if tree[i] != gone or least == gone:
                return
            tree[i] = least

    def at(self, rank: int) -> int:
        """The job of that place."""
        return self._order[rank]


def _empty_tree(leaves: int) -> list[int]:
    return [NONE] * (2 << max(leaves - 1, 0).bit_length())


def first_within(tree: list[int], limit: int) -> int:
    """The first leaf of at most `limit`; only where tree[1] is."""
    i, half = 1, len(tree) >> 1
    while i < half:
        i <<= 1
        if tree[i] > limit:
            i += 1
    return i - half
