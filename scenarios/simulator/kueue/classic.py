"""Kueue's classic preemption: quota owners take back what others borrow, level by level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from scenarios.simulator.kueue.tree import Amounts
from scenarios.simulator.kueue.workloads import Contest, Eviction, Policy, Reason, Workload


class _Kind(IntEnum):
    HIERARCHICAL = 0
    WHILE_BORROWING = 1
    WITHOUT_BORROWING = 2
    OWN_QUEUE = 3


_GROUP = {_Kind.HIERARCHICAL: 0, _Kind.WHILE_BORROWING: 1, _Kind.WITHOUT_BORROWING: 1}
_REASON = {
    _Kind.HIERARCHICAL: Reason.RECLAIM,
    _Kind.WHILE_BORROWING: Reason.RECLAIM_BORROWING,
    _Kind.WITHOUT_BORROWING: Reason.RECLAIM,
    _Kind.OWN_QUEUE: Reason.IN_QUEUE,
}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`meeting` is the lowest cohort over both the victim's and the newcomer's queue."""

    workload: Workload
    kind: _Kind
    meeting: int


@dataclass(slots=True)
class _Search:
    contest: Contest
    by_queue: dict[int, list[Workload]]
    found: list[_Candidate] = field(default_factory=list)

    def own_queue(self) -> None:
        """Candidates of the newcomer's own queue."""
        queue = self.contest.newcomer.queue
        for workload in self.by_queue.get(queue, ()):
            if self.contest.may_evict(workload):
                self.found.append(_Candidate(workload, _Kind.OWN_QUEUE, -1))

    def other_queues(self) -> None:
        """Candidates of the rest of the tree, from the nearest cohort outwards.

        Once the request fits into the quota of a subtree, whoever uses that quota from
        outside the subtree is hierarchically at a disadvantage.
        """
        contest = self.contest
        if contest.rule.reclaim is Policy.NEVER:
            return
        inside, *above = contest.tree.path(contest.newcomer.queue)
        advantage, rest = self._fits_quota(inside, contest.newcomer.amounts)
        for cohort in above:
            self._subtree(cohort, cohort, inside, advantage)
            fits, rest = self._fits_quota(cohort, rest)
            advantage, inside = advantage or fits, cohort

    def _fits_quota(self, node: int, request: Amounts) -> tuple[bool, Amounts]:
        tree = self.contest.tree
        subtree, used = tree.subtree[node], tree.used[node]
        fits = all(used[column] + amount <= subtree[column] for column, amount in request.items())
        rest = {c: max(0, amount - tree.spare_local(node, c)) for c, amount in request.items()}
        return fits, rest

    def _subtree(self, cohort: int, meeting: int, skip: int, advantage: bool) -> None:
        tree, short = self.contest.tree, self.contest.short
        for below in tree.cohorts_below[cohort]:
            if below != skip and not tree.within_quota(below, short):
                self._subtree(below, meeting, skip, advantage)
        for queue in tree.queues_below[cohort]:
            if queue != self.contest.newcomer.queue and not tree.within_quota(queue, short):
                self._queue(queue, meeting, advantage)

    def _queue(self, queue: int, meeting: int, advantage: bool) -> None:
        for workload in self.by_queue.get(queue, ()):
            if self.contest.may_evict(workload):
                kind = _Kind.HIERARCHICAL if advantage else self._plain_kind(workload)
                self.found.append(_Candidate(workload, kind, meeting))

    def _plain_kind(self, victim: Workload) -> _Kind:
        rule, threshold = self.contest.rule, self.contest.rule.threshold
        above = threshold is not None and victim.priority > threshold
        if not rule.borrow or above or victim.priority >= self.contest.newcomer.priority:
            return _Kind.WITHOUT_BORROWING
        return _Kind.WHILE_BORROWING

    def ranked(self) -> list[_Candidate]:
        """Evicted first, then by group, then in eviction order."""
        order = self.contest.order
        return sorted(
            self.found,
            key=lambda c: (not c.workload.evicted, _GROUP.get(c.kind, 2), order(c.workload)),
        )


def _candidates(contest: Contest) -> list[_Candidate]:
    by_queue: dict[int, list[Workload]] = {}
    for workload in contest.admitted:
        by_queue.setdefault(workload.queue, []).append(workload)
    search = _Search(contest, by_queue)
    search.own_queue()
    search.other_queues()
    return search.ranked()


def _attempts(contest: Contest, candidates: list[_Candidate]) -> list[bool]:
    """Whether to borrow in the first and in the second attempt."""
    kinds = {candidate.kind for candidate in candidates}
    forbidden = not contest.rule.borrow
    if kinds <= {_Kind.OWN_QUEUE} or (forbidden and not _under_nominal(contest)):
        return [True]
    if forbidden and _Kind.HIERARCHICAL not in kinds:
        return [False, True]
    return [True, False]


def _under_nominal(contest: Contest) -> bool:
    tree, queue = contest.tree, contest.newcomer.queue
    return all(tree.used[queue][c] < tree.nominal(queue, c) for c in contest.short)


def _still_borrows(contest: Contest, candidate: _Candidate) -> bool:
    """True while every node from the victim up to the common cohort is above its quota."""
    tree = contest.tree
    for node in tree.path(candidate.workload.queue):
        if node == candidate.meeting:
            return True
        if tree.within_quota(node, contest.short):
            return False
    return True


def _usable(
    contest: Contest, candidates: list[_Candidate], borrowing: bool
) -> Iterator[_Candidate]:
    for candidate in candidates:
        if candidate.kind is _Kind.OWN_QUEUE:
            yield candidate
        elif borrowing and candidate.kind is _Kind.WITHOUT_BORROWING:
            continue
        elif _still_borrows(contest, candidate):
            yield candidate


def _attempt(
    contest: Contest, candidates: list[_Candidate], borrowing: bool
) -> list[Eviction] | None:
    victims: list[Eviction] = []
    chosen: list[Eviction] | None = None
    for candidate in _usable(contest, candidates, borrowing):
        contest.take(candidate.workload)
        victims.append(Eviction(candidate.workload, _REASON[candidate.kind]))
        if contest.fits(borrowing):
            chosen = victims = contest.give_back(victims, borrowing)
            break
    for victim in victims:
        contest.restore(victim.workload)
    return chosen


def classic_victims(contest: Contest) -> list[Eviction]:
    """Who must leave so that the newcomer fits; empty when nobody may, and it waits.

    The tree is as before on return.
    """
    candidates = _candidates(contest)
    for borrowing in _attempts(contest, candidates):
        chosen = _attempt(contest, candidates, borrowing)
        if chosen is not None:
            return chosen
    return []
