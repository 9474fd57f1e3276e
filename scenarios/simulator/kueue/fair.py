"""Kueue's fair sharing: whoever borrows most, relative to its weight, gives first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from scenarios.simulator.kueue.tree import QuotaTree
from scenarios.simulator.kueue.workloads import Contest, Eviction, Policy, Reason, Workload

Share = tuple[bool, Fraction]
"""(weight is 0 and it borrows, borrowed share by weight or, where the first holds, bare).

The order of these tuples is the order of the shares: zero weight is infinite, and two
infinite shares are compared by what they borrow."""

NOTHING: Share = (False, Fraction(0))


class Strategy(StrEnum):
    """When a victim of another queue may be taken."""

    FINAL = "LessThanOrEqualToFinalShare"
    INITIAL = "LessThanInitialShare"


DEFAULT_STRATEGIES = (Strategy.FINAL, Strategy.INITIAL)


def share(tree: QuotaTree, node: int, resources: Sequence[int]) -> Share:
    """How much of what its parent could lend the node borrows, in thousandths by weight.

    `resources[column]` says which resource a quota column counts: columns of one
    resource are added up, the resource with the largest part decides.
    """
    above = tree.parent[node]
    borrowed: dict[int, int] = {}
    if above >= 0:
        for column, resource in enumerate(resources):
            over = tree.used[node][column] - tree.subtree[node][column]
            if over > 0:
                borrowed[resource] = borrowed.get(resource, 0) + over
    if not borrowed:
        return NOTHING
    ratio = max(_part(tree, above, resources, *item) for item in borrowed.items())
    weight = Fraction(tree.weight[node])
    return (False, ratio / weight) if weight else (True, ratio)


def _part(
    tree: QuotaTree, above: int, resources: Sequence[int], resource: int, over: int
) -> Fraction:
    lendable = sum(tree.potential(above, c) for c, r in enumerate(resources) if r == resource)
    return Fraction(1000 * over, lendable) if lendable > 0 else Fraction(0)


@dataclass(slots=True)
class _Order:
    """Walks the tree from the root to whoever has the highest share and a candidate left."""

    contest: Contest
    resources: Sequence[int]
    waiting: dict[int, list[Workload]]
    pruned: set[int] = field(default_factory=set)

    def turns(self) -> Iterator[int]:
        """Queues in turn; the caller takes workloads from `waiting` and evicts them."""
        *_, root = path = self.contest.tree.path(self.contest.newcomer.queue)
        if len(path) == 1:
            while self.waiting.get(root):
                yield root
            return
        while root not in self.pruned:
            queue = self._descend(root, path)
            if queue is not None:
                yield queue

    def _descend(self, cohort: int, path: list[int]) -> int | None:
        while True:
            best_queue = self._best_queue(cohort)
            best_cohort = self._best_cohort(cohort, path)
            if best_queue is None and best_cohort is None:
                self.pruned.add(cohort)
                return None
            if best_cohort is None or (best_queue and best_queue[0] > best_cohort[0]):
                return best_queue[1] if best_queue else None
            cohort = best_cohort[1]

    def _best_queue(self, cohort: int) -> tuple[Share, int] | None:
        best: tuple[Share, int] | None = None
        for queue in self.contest.tree.queues_below[cohort]:
            if queue in self.pruned:
                continue
            has = share(self.contest.tree, queue, self.resources)
            lends = has == NOTHING and queue != self.contest.newcomer.queue
            if lends or not self.waiting.get(queue):
                self.pruned.add(queue)
            elif best is None or has > best[0] or (has == best[0] and self._sooner(queue, best[1])):
                best = has, queue
        return best

    def _sooner(self, queue: int, other: int) -> bool:
        order = self.contest.order
        return order(self.waiting[queue][0]) < order(self.waiting[other][0])

    def _best_cohort(self, cohort: int, path: list[int]) -> tuple[Share, int] | None:
        best: tuple[Share, int] | None = None
        for below in self.contest.tree.cohorts_below[cohort]:
            if below in self.pruned:
                continue
            has = share(self.contest.tree, below, self.resources)
            if has == NOTHING and below not in path:
                self.pruned.add(below)
            elif best is None or has >= best[0]:
                best = has, below
        return best


@dataclass(slots=True)
class _Rounds:
    """The first and the second round of one contest; the newcomer's use is in the tree."""

    contest: Contest
    resources: Sequence[int]
    victims: list[Eviction] = field(default_factory=list)
    retry: list[Workload] = field(default_factory=list)

    def first(self, candidates: list[Workload], strategy: Strategy) -> bool:
        """Take victims where the strategy allows; the rest is kept for the second round."""
        newcomer = self.contest.newcomer
        within = self._within_nominal()
        order = _Order(self.contest, self.resources, _by_queue(candidates))
        for queue in order.turns():
            waiting = order.waiting[queue]
            if queue == newcomer.queue:
                done = self._evict(waiting.pop(0), Reason.IN_QUEUE)
            elif within:
                done = self._evict(waiting.pop(0), Reason.RECLAIM)
            else:
                done = self._take_one(queue, waiting, strategy)
            if done:
                return True
        return False

    def _within_nominal(self) -> bool:
        tree, queue = self.contest.tree, self.contest.newcomer.queue
        return all(tree.used[queue][c] <= tree.nominal(queue, c) for c in self.contest.short)

    def _take_one(self, queue: int, waiting: list[Workload], strategy: Strategy) -> bool:
        ours, theirs = self._sides(queue)
        while waiting:
            victim = waiting.pop(0)
            if self._allows(strategy, ours, theirs, victim):
                return self._evict(victim, Reason.FAIR)
            self.retry.append(victim)
        return False

    def second(self) -> bool:
        """Once per queue: take its first left-over where it holds more than we would."""
        order = _Order(self.contest, self.resources, _by_queue(self.retry))
        for queue in order.turns():
            ours, theirs = self._sides(queue)
            victim = order.waiting[queue][0]
            order.waiting[queue] = []
            if self._share(ours) < self._share(theirs) and self._evict(victim, Reason.FAIR):
                return True
        return False

    def _sides(self, queue: int) -> tuple[int, int]:
        """The children of the lowest common cohort on the newcomer's and the target's side."""
        tree = self.contest.tree
        ours, theirs = tree.path(self.contest.newcomer.queue), tree.path(queue)
        while len(ours) > 1 and len(theirs) > 1 and ours[-2] == theirs[-2]:
            ours.pop()
            theirs.pop()
        return ours[-2], theirs[-2]

    def _share(self, node: int) -> Share:
        return share(self.contest.tree, node, self.resources)

    def _allows(self, strategy: Strategy, ours: int, theirs: int, victim: Workload) -> bool:
        if strategy is Strategy.INITIAL:
            return self._share(ours) < self._share(theirs)
        own = self._share(ours)
        self.contest.take(victim)
        allowed = own <= self._share(theirs)
        self.contest.restore(victim)
        return allowed

    def _evict(self, victim: Workload, reason: Reason) -> bool:
        self.contest.take(victim)
        self.victims.append(Eviction(victim, reason))
        newcomer = self.contest.newcomer
        self.contest.take(newcomer)
        fits = self.contest.fits()
        self.contest.restore(newcomer)
        return fits


def _by_queue(candidates: list[Workload]) -> dict[int, list[Workload]]:
    queues: dict[int, list[Workload]] = {}
    for workload in candidates:
        queues.setdefault(workload.queue, []).append(workload)
    return queues


def _borrows(contest: Contest) -> Callable[[int], bool]:
    tree = contest.tree
    root = tree.path(contest.newcomer.queue)[-1]

    def borrows(queue: int) -> bool:
        over = any(tree.used[queue][c] > tree.nominal(queue, c) for c in contest.short)
        return over and tree.path(queue)[-1] == root

    return borrows


def _candidates(contest: Contest) -> list[Workload]:
    reclaims, own = contest.rule.reclaim is not Policy.NEVER, contest.newcomer.queue
    borrows = _borrows(contest)
    found = [
        workload
        for workload in contest.admitted
        if contest.may_evict(workload)
        and (workload.queue == own or (reclaims and borrows(workload.queue)))
    ]
    return sorted(found, key=contest.order)


def fair_victims(
    contest: Contest,
    resources: Sequence[int],
    strategies: Sequence[Strategy] = DEFAULT_STRATEGIES,
) -> list[Eviction]:
    """Who must leave under fair sharing so that the newcomer fits; empty when it waits.

    `resources[column]` numbers the resource of each quota column. The tree is as before
    on return.
    """
    candidates, newcomer = _candidates(contest), contest.newcomer
    rounds = _Rounds(contest, resources)
    contest.restore(newcomer)
    done = rounds.first(candidates, strategies[0])
    if not done and len(strategies) > 1:
        done = rounds.second()
    contest.take(newcomer)
    kept = contest.give_back(rounds.victims, borrowing=True) if done else rounds.victims
    for victim in kept:
        contest.restore(victim.workload)
    return kept if done else []
