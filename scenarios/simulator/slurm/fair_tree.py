"""Slurm's Fair Tree: users ranked by walking the tree from the best-served level down."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from scenarios.simulator.slurm.shares import Standing, Tree, norm_usage


def fair_tree(tree: Tree, usage: list[float]) -> Standing:
    """Standing of every association after `usage` (any unit, root first).

    Source: Slurm's page on Fair Tree. Level value = share among siblings / part of the
    parent's usage, infinite where nothing was used, 0 where there are no shares. Users
    get rank / number of users; accounts have a level value and no factor.
    """
    own, holders = tree.norm_at_level(), tree.holders()
    shares = [0.0] + [
        own[holders[index] if tree.shares[index] is None else index]
        for index in range(1, len(usage))
    ]
    effective = [1.0 if usage[0] else 0.0]
    for index in range(1, len(usage)):
        above = usage[holders[index]]
        effective.append(usage[index] / above if above else 0.0)
    level: list[float | None] = [None]
    for index in range(1, len(usage)):
        level.append(_level_value(tree, index, shares[index], effective[index]))
    factors = _Ranking(tree, level, holders).factors()
    return Standing(shares, norm_usage(usage), effective, factors, level)


def _level_value(tree: Tree, index: int, share: float, used: float) -> float | None:
    if tree.shares[index] is None:
        return inf if tree.user[index] else None
    if not share:
        return 0.0
    return share / used if used else inf


@dataclass
class _Ranking:
    """One walk over the tree; `left` counts the users that have no rank yet."""

    tree: Tree
    level: list[float | None]
    holders: list[int]
    rank: int = 0
    left: int = 0

    def factors(self) -> list[float | None]:
        count = sum(1 for user in self.tree.user if user)
        self.rank = self.left = count
        self.ranks: list[int | None] = [None] * len(self.level)
        self.children: list[list[int]] = [[] for _ in self.level]
        for index in range(1, len(self.level)):
            if self.level[index] is not None:
                self.children[self.holders[index]].append(index)
        self._walk(self.children[0], tied=False)
        return [None if rank is None else rank / count for rank in self.ranks]

    def _walk(self, siblings: list[int], tied: bool) -> None:
        """Give ranks below one level; `tied` means that its best shares the last rank given."""
        worth = {index: self.level[index] or 0.0 for index in siblings}
        order = sorted(siblings, key=lambda i: (-worth[i], not self.tree.user[i]))
        place = 0
        while place < len(order):
            index = order[place]
            if place:
                tied = worth[index] == worth[order[place - 1]]
            if self.tree.user[index]:
                self._rank(index, tied)
                place += 1
                continue
            merged = [i for i in order[place:] if worth[i] == worth[index]]
            self._walk([child for account in merged for child in self.children[account]], tied)
            place += len(merged)

    def _rank(self, index: int, tied: bool) -> None:
        if not tied:
            self.rank = self.left
        self.ranks[index] = self.rank
        self.left -= 1
