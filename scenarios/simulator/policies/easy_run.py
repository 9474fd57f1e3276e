"""EASY on a counted machine from the first event to the last in one loop.

The same starts as the engine with the policy `easy`, which asks some fifty functions for each job; this
takes the place of both where nothing else can happen: no fault, no watcher, no timer, nobody stops.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from heapq import heappop, heappush

from scenarios.simulator.engine import NEVER, Simulation
from scenarios.simulator.policies.horizon import JOB as LOW
from scenarios.simulator.policies.horizon import JOB_BITS as BITS
from scenarios.simulator.policies.waiting import NONE, first_within

LEAST_LEAVES = 32


class Line:
    """Waiting jobs of one size in the order of submission: a tree of minima of their estimates.

    Leaves are given out in turn, for a job joins once; when they run out, those in use move up. So
    the tree stays as small as the queue. `ranks[leaf]` is the job's place in the order of submission.
    """

    __slots__ = ("half", "ranks", "size", "tree")

    def __init__(self, size: int) -> None:
        self.size = size
        self._plant([], [])

    def _plant(self, ranks: list[int], estimates: list[int]) -> None:
        self.ranks, self.half = ranks, LEAST_LEAVES
        while self.half < 4 * len(ranks):
            self.half *= 2
        tree = self.tree = [NONE] * (2 * self.half)
        tree[self.half : self.half + len(ranks)] = estimates
        for i in range(self.half - 1, 0, -1):
            left, right = tree[2 * i], tree[2 * i + 1]
            tree[i] = left if left < right else right

    def add(self, rank: int, estimate: int) -> None:
        """The job of that rank, later than all here, waits."""
        if len(self.ranks) == self.half:
            leaves = zip(self.ranks, self.tree[self.half :], strict=True)
            stay = [(rank, length) for rank, length in leaves if length < NONE]
            self._plant([rank for rank, _ in stay], [length for _, length in stay])
        tree, i = self.tree, self.half + len(self.ranks)
        self.ranks.append(rank)
        while i and tree[i] > estimate:
            tree[i] = estimate
            i >>= 1

    def remove(self, rank: int) -> None:
        """The job of that rank waits no longer."""
        tree, i = self.tree, self.half + bisect_left(self.ranks, rank)
        gone, tree[i] = tree[i], NONE
        while i > 1:
            left, right = tree[i], tree[i ^ 1]
            least = left if left < right else right
            i >>= 1
            if tree[i] != gone or least == gone:
                return
            tree[i] = least


class EasyRun:
    """One whole run; times and processors are integers as in the simulation.

    `ends` is a heap of end << BITS | job, `planned` a sorted list of the same by the estimates,
    `there[rank]` whether the job of that rank waits. While `blocked`, the head may start at `shadow` and
    leaves `extra` processors over.
    """

    __slots__ = (
        "blocked", "ends", "estimate", "extra", "first", "first_start", "free", "line_of", "lines", "order",
        "planned", "procs", "run_time", "shadow", "submit", "there",
    )  # fmt: skip

    def __init__(self, simulation: Simulation) -> None:
        self.order, self.procs = simulation.order, simulation.procs
        self.estimate, self.run_time = simulation.estimate, simulation.run_time
        self.submit, self.first_start = simulation.submit, simulation.first_start
        self.free = simulation.machine.free
        self.lines = [Line(size) for size in sorted(set(self.procs)) if size <= self.free]
        self.line_of = {line.size: line for line in self.lines}
        self.ends = [NEVER << BITS]
        self.planned: list[int] = []
        self.there = bytearray(len(self.order))
        self.blocked = False
        self.shadow = self.extra = self.first = 0

    def play(self) -> int:
        """All that happens; answers the last instant."""
        submits = [*map(self.submit.__getitem__, self.order), NEVER]
        ends, procs, planned = self.ends, self.procs, self.planned
        first_start, estimate = self.first_start, self.estimate
        rank = last = 0
        while True:
            submit, now = submits[rank], ends[0] >> BITS
            if submit < now:
                now = submit
            elif now == NEVER:
                return last
            else:
                while ends[0] >> BITS == now:
                    job = heappop(ends) & LOW
                    self.free += procs[job]
                    planned_end = first_start[job] + estimate[job]
                    del planned[bisect_left(planned, planned_end << BITS | procs[job])]
                self.blocked = False
            last, fresh = now, rank
            while submits[rank] == now:
                rank += 1
            if self.blocked:
                self._pass(fresh, rank, now)
            else:
                self._serve(fresh, rank, now)

    def _start(self, job: int, now: int) -> None:
        self.first_start[job] = now
        need = self.procs[job]
        self.free -= need
        heappush(self.ends, now + self.run_time[job] << BITS | job)
        insort(self.planned, now + self.estimate[job] << BITS | need)

    def _pass(self, fresh: int, until: int, now: int) -> None:
        """Newcomers pass the blocked head, or wait."""
        for rank in range(fresh, until):
            job = self.order[rank]
            need = self.procs[job]
            if need <= self.free:
                if now + self.estimate[job] <= self.shadow:
                    self._start(job, now)
                    continue
                if need <= self.extra:
                    self.extra -= need
                    self._start(job, now)
                    continue
            self._wait(rank, job)

    def _serve(self, fresh: int, until: int, now: int) -> None:
        """The queue in order while it fits, then whoever does not delay its head."""
        there, order, procs = self.there, self.order, self.procs
        while (head := there.find(1, self.first, fresh)) >= 0 and procs[order[head]] <= self.free:
            there[head] = 0
            self.line_of[procs[order[head]]].remove(head)
            self._start(order[head], now)
            self.first = head
        for rank in range(fresh, until):
            job = order[rank]
            if head < 0 and procs[job] <= self.free:
                self._start(job, now)
            elif self._wait(rank, job) and head < 0:
                head = rank
        if head >= 0:
            self.first, self.blocked = head, True
            self._reserve(procs[order[head]] - self.free)
            if self.free:
                self._backfill(now)
        else:
            self.first = until

    def _wait(self, rank: int, job: int) -> bool:
        """`job` waits; False for one that asks for more than the whole machine."""
        line = self.line_of.get(self.procs[job])
        if line is None:
            return False
        line.add(rank, self.estimate[job])
        self.there[rank] = 1
        return True

    def _reserve(self, missing: int) -> None:
        """When the head has all it needs if everybody runs as long as estimated, and what is over then."""
        planned = iter(self.planned)
        for key in planned:
            missing -= key & LOW
            if missing <= 0:
                break
        self.shadow = key >> BITS
        for other in planned:
            if other >> BITS != self.shadow:
                break
            missing -= other & LOW
        self.extra = -missing

    def _backfill(self, now: int) -> None:
        slack, lines = self.shadow - now, self.lines
        while free := self.free:
            spare, best = self.extra, NONE
            for line in lines:
                if line.size > free:
                    break
                limit = slack if line.size > spare else NONE - 1
                if line.tree[1] <= limit:
                    rank = line.ranks[first_within(line.tree, limit)]
                    if rank < best:
                        best, chosen = rank, line
            if best == NONE:
                return
            job = self.order[best]
            chosen.remove(best)
            self.there[best] = 0
            if self.estimate[job] > slack:
                self.extra -= chosen.size
            self._start(job, now)
