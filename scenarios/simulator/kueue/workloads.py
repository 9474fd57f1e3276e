"""Workloads under quota: what they ask, when they came, and which may be asked to leave first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scenarios.simulator.kueue.tree import Amounts, QuotaTree


class Policy(StrEnum):
    """Whom a queue may evict, compared with the newcomer."""

    NEVER = "Never"
    LOWER = "LowerPriority"
    LOWER_OR_NEWER = "LowerOrNewerEqualPriority"
    ANY = "Any"


class Reason(StrEnum):
    """Why a workload was evicted."""

    IN_QUEUE = "InClusterQueue"
    RECLAIM = "InCohortReclamation"
    RECLAIM_BORROWING = "InCohortReclaimWhileBorrowing"
    FAIR = "InCohortFairSharing"


@dataclass(frozen=True, slots=True)
class Preemption:
    """A queue's preemption policies. `borrow` allows evicting others while borrowing;

    `threshold` is the highest priority such a victim may have (None: no such bound).
    """

    within: Policy = Policy.NEVER
    reclaim: Policy = Policy.NEVER
    borrow: bool = False
    threshold: int | None = None


@dataclass(frozen=True, slots=True)
class Workload:
    """One workload. `queue` is a node of the tree; times share one unit and origin."""

    name: str
    queue: int
    priority: int
    amounts: Amounts
    created: int = 0
    admitted: int = 0
    evicted: bool = False


@dataclass(frozen=True, slots=True)
class Eviction:
    """One victim and why."""

    workload: Workload
    reason: Reason


@dataclass(slots=True)
class Contest:
    """One newcomer that does not fit, and everything it may be weighed against.

    `short` are the columns in which it lacks quota; `rules` the policies by node.
    """

    tree: QuotaTree
    rules: dict[int, Preemption]
    admitted: Sequence[Workload]
    newcomer: Workload
    short: tuple[int, ...]

    @property
    def rule(self) -> Preemption:
        """Policies of the newcomer's queue."""
        return self.rules[self.newcomer.queue]

    def fits(self, borrowing: bool = True) -> bool:
        """True when the newcomer could be admitted as things stand."""
        return self.tree.fits(self.newcomer.queue, self.newcomer.amounts, borrowing)

    def take(self, workload: Workload) -> None:
        """Suppose the workload gone."""
        self.tree.remove(workload.queue, workload.amounts)

    def restore(self, workload: Workload) -> None:
        """Suppose it back."""
        self.tree.add(workload.queue, workload.amounts)

    def may_evict(self, victim: Workload) -> bool:
        """True when policy and demand allow the victim, quotas left aside."""
        own = victim.queue == self.newcomer.queue
        policy = self.rule.within if own else self.rule.reclaim
        return self._uses_short(victim) and outranks(self.newcomer, victim, policy)

    def _uses_short(self, victim: Workload) -> bool:
        return any(column in victim.amounts for column in self.short)

    def order(self, victim: Workload) -> tuple[bool, bool, int, int, str]:
        """Sort key: evicted, other queues, lower priority, latest admitted, name."""
        own = victim.queue == self.newcomer.queue
        return (not victim.evicted, own, victim.priority, -victim.admitted, victim.name)

    def give_back(self, victims: list[Eviction], borrowing: bool) -> list[Eviction]:
        """Return, from the last but one backwards, every victim the newcomer can do without.

        The victims are out of the tree on entry and again on return.
        """
        kept = [victims[-1]]
        for victim in reversed(victims[:-1]):
            self.restore(victim.workload)
            if not self.fits(borrowing):
                self.take(victim.workload)
                kept.append(victim)
        return kept[::-1]


def outranks(newcomer: Workload, victim: Workload, policy: Policy) -> bool:
    """True when the policy lets the newcomer evict the victim."""
    if policy is Policy.ANY:
        return True
    lower = victim.priority < newcomer.priority
    if policy is Policy.LOWER_OR_NEWER:
        newer = victim.priority == newcomer.priority and newcomer.created < victim.created
        return lower or newer
    return lower and policy is Policy.LOWER
