"""The policy `kueue`: queues under quota admit jobs, borrow from each other, and take back."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from scenarios.simulator.engine import Policy, Simulation
from scenarios.simulator.kueue.classic import classic_victims
from scenarios.simulator.kueue.fair import Share, fair_victims, share
from scenarios.simulator.kueue.settings import (
    COLUMN,
    DEFAULT_RULES,
    default_specs,
    read_settings,
)
from scenarios.simulator.kueue.tree import QuotaTree
from scenarios.simulator.kueue.workloads import Contest, Eviction, Preemption, Workload
from scenarios.simulator.kueue.workloads import Policy as Whom

Entry = tuple[int, int, int]
"""(minus priority, place in the order of submission, job): the order within a queue."""
Bucket = tuple[int, int]
"""(queue, processors): jobs of one bucket fit or fail alike, so its head speaks for all."""
RESOURCES = (COLUMN,)
UNNAMED = "default"
"""The queue of jobs whose record leaves the queue's name out."""


class Kueue(Policy):
    """Admission by quota in cycles, as Kueue does it, then placement of the whole gang.

    A cycle takes the head of every queue, those that need not borrow first, then (under
    fair sharing) the smaller share, the higher priority, the older. A head that fits is
    admitted, one that may evict evicts and is admitted, any other is passed over until
    something ends (under `strict` its queue waits with it). Admitted jobs start as soon as the
    machine has room for all their processors at once. What is evicted in one instant
    does not come back in the same instant.
    """

    name = "kueue"

    def __init__(self, cluster: Mapping[str, object]) -> None:
        self._settings = read_settings(cluster)
        self._buckets: dict[Bucket, list[Entry]] = {}
        self._heads: dict[int, list[Entry]] = {}
        """By queue, the heads of its buckets that have not been tried since room came free."""
        self._held: set[int] = set()
        """Queues that wait for their head."""
        self._freed = True
        self._admitted: dict[int, Workload] = {}
        self._priorities: dict[int, dict[int, int]] = {}
        """By queue, how many of each priority are admitted."""
        self._unplaced: list[int] = []
        self._evicted: list[int] = []

    def bind(self, simulation: Simulation) -> None:
        super().bind(simulation)
        settings, workload = self._settings, simulation.workload
        column: list[str] = getattr(workload, settings.queue_by)
        groups = [name or UNNAMED for name in column]
        specs = settings.specs or default_specs(groups, simulation.machine.capacity)
        self._tree = QuotaTree(specs, len(RESOURCES))
        numbers = {spec.name: node for node, spec in enumerate(specs) if spec.queue}
        unknown = sorted(set(groups) - numbers.keys())
        if unknown:
            what = f"the {settings.queue_by} {unknown[0]!r}"
            raise ValueError(f"The trace has {what}, for which [[kueue.queues]] has no queue.")
        self._queue = [numbers[name] for name in groups]
        self._rules: dict[int, Preemption] = {
            node: settings.rules.get(name, DEFAULT_RULES) for name, node in numbers.items()
        }
        self._rank = [0] * len(workload)
        for place, job in enumerate(simulation.order):
            self._rank[job] = place

    # ---- what happened ----

    def submitted(self, job: int) -> None:
        queue = self._queue[job]
        entries = self._buckets.setdefault((queue, self.simulation.procs[job]), [])
        entry = self._entry(job)
        heappush(entries, entry)
        if entries[0] == entry:
            heads = self._heads.setdefault(queue, [])
            heappush(heads, entry)
            if heads[0] == entry:
                self._held.discard(queue)

    def ended(self, job: int) -> None:
        self._release(job)

    # ---- what to do ----

    def schedule(self) -> None:
        while heads := self._next_heads():
            for job in sorted(heads, key=self._turn):
                self._consider(job)
        for job in self._evicted:
            self.submitted(job)
        self._evicted.clear()
        self._place()

    def _entry(self, job: int) -> Entry:
        return -self.simulation.workload.priority[job], self._rank[job], job

    def _next_heads(self) -> list[int]:
        """The job each queue would admit next; queues with nothing left to try are left out."""
        if self._freed:
            self._freed = False
            self._held.clear()
            self._heads = {}
            for (queue, _), entries in self._buckets.items():
                if entries:
                    self._heads.setdefault(queue, []).append(entries[0])
            for heads in self._heads.values():
                heapify(heads)
        return [
            heads[0][2]
            for queue, heads in self._heads.items()
            if queue not in self._held and self._drop_outdated(queue, heads)
        ]

    def _drop_outdated(self, queue: int, heads: list[Entry]) -> bool:
        """Whether a head is left that still is the head of its bucket."""
        while heads and heads[0] != self._bucket_head(heads[0][2]):
            heappop(heads)
        return bool(heads)

    def _bucket_head(self, job: int) -> Entry | None:
        entries = self._buckets[self._queue[job], self.simulation.procs[job]]
        return entries[0] if entries else None

    def _turn(self, job: int) -> tuple[bool, list[Share], Entry]:
        tree, queue, procs = self._tree, self._queue[job], self.simulation.procs[job]
        borrows = tree.used[queue][COLUMN] + procs > tree.nominal(queue, COLUMN)
        shares: list[Share] = []
        if self._settings.fair_sharing:
            tree.add(queue, {COLUMN: procs})
            path = tree.path(queue)
            shares = [share(tree, node, RESOURCES) for node in reversed(path[:-1])]
            tree.remove(queue, {COLUMN: procs})
        return borrows, shares, self._entry(job)

    def _consider(self, job: int) -> None:
        queue, newcomer = self._queue[job], self._workload(job)
        heads, entries = self._heads[queue], self._buckets[queue, self.simulation.procs[job]]
        if not self._tree.fits(queue, newcomer.amounts):
            victims = self._victims(newcomer)
            if not victims:
                if self._settings.strict:
                    self._held.add(queue)
                else:
                    heappop(heads)
                return
            for victim in victims:
                self._evict(int(victim.workload.name))
        heappop(entries)
        heappop(heads)
        if entries:
            heappush(heads, entries[0])
        self._admit(newcomer, job)
        self._unplaced.append(job)

    def _workload(self, job: int) -> Workload:
        simulation = self.simulation
        return Workload(
            f"{job:020}",
            self._queue[job],
            simulation.workload.priority[job],
            {COLUMN: simulation.procs[job]},
            simulation.submit[job],
            simulation.now,
        )

    def _victims(self, newcomer: Workload) -> list[Eviction]:
        if not self._may_evict(newcomer):
            return []
        contest = Contest(
            self._tree, self._rules, list(self._admitted.values()), newcomer, RESOURCES
        )
        if self._settings.fair_sharing:
            return fair_victims(contest, RESOURCES)
        return classic_victims(contest)

    def _may_evict(self, newcomer: Workload) -> bool:
        """A quick look whether a search for victims could find any."""
        tree, own, rule = self._tree, newcomer.queue, self._rules[newcomer.queue]
        if rule.reclaim is not Whom.NEVER:
            for queue in self._rules:
                if queue != own and tree.used[queue][COLUMN] > tree.subtree[queue][COLUMN]:
                    return True
        if rule.within is Whom.NEVER or not tree.used[own][COLUMN]:
            return False
        lower_only = rule.within is Whom.LOWER
        return not lower_only or min(self._priorities[own]) < newcomer.priority

    def _admit(self, workload: Workload, job: int) -> None:
        self._tree.add(workload.queue, workload.amounts)
        self._admitted[job] = workload
        counts = self._priorities.setdefault(workload.queue, {})
        counts[workload.priority] = counts.get(workload.priority, 0) + 1

    def _release(self, job: int) -> None:
        workload = self._admitted.pop(job)
        self._tree.remove(workload.queue, workload.amounts)
        counts = self._priorities[workload.queue]
        counts[workload.priority] -= 1
        if not counts[workload.priority]:
            del counts[workload.priority]
        self._freed = True

    def _evict(self, job: int) -> None:
        simulation = self.simulation
        self._release(job)
        if job in self._unplaced:
            self._unplaced.remove(job)
        else:
            done = 0 if self._settings.keep_progress else simulation.now - simulation.began[job]
            simulation.preempt(job, lost=done)
        self._evicted.append(job)

    def _place(self) -> None:
        """Start admitted jobs in order of admission where the machine has room for them."""
        simulation, left = self.simulation, []
        for job in self._unplaced:
            if simulation.machine.fits(simulation.procs[job]):
                simulation.start(job)
            else:
                left.append(job)
        self._unplaced = left
