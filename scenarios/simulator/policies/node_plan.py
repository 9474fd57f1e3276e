"""The plan of nodes with GPUs: every reservation is for particular nodes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from operator import and_

from scenarios.simulator.engine import NEVER, Simulation
from scenarios.simulator.machine import Nodes, Share, choose

Row = list[int]
"""`row[k]` is the bit mask of the nodes with at least k GPUs free: the room that two rows
have in common is their bitwise and."""

Act = Callable[[Row, int, int], None]


class NodePlan:
    """A step function of rows, as PoolPlan's of numbers; Nodes names the placement rule."""

    def __init__(self, simulation: Simulation, nodes: Nodes) -> None:
        self._simulation, self._nodes, self._procs = simulation, nodes, simulation.procs
        self._out = frozenset(nodes.out)
        here = sum(1 << node for node in range(len(nodes.level)) if node not in self._out)
        self.times = [0, NEVER]
        self.rows: list[Row] = [[here] * (nodes.per_node + 1) for _ in range(2)]
        self._shares: dict[int, tuple[Share, ...]] = dict(nodes.where)

    def trim(self, now: int) -> None:
        past = bisect_right(self.times, now) - 1
        if past > 0:
            del self.times[:past], self.rows[:past]

    def reserve(self, job: int, begin: int, end: int) -> None:
        if begin >= NEVER:  # nothing in service would ever hold it
            self._shares[job] = ()
            return
        row = self._common(begin, end)
        at_level = [more & ~most for more, most in zip(row, [*row[1:], 0], strict=True)]
        self._shares[job] = choose(at_level, self._procs[job])
        self.restore(job, begin, end)

    def restore(self, job: int, begin: int, end: int) -> None:
        self._change(begin, end, self._shares[job], _occupy)

    def release(self, job: int, begin: int, end: int) -> None:
        self._change(begin, end, self._shares[job], _vacate)

    def start(self, job: int) -> bool:
        nodes, shares = self._nodes, self._shares[job]
        if any(nodes.level[node] < gpus or node in nodes.out for node, gpus in shares):
            return False
        nodes.take_at(job, shares)
        self._simulation.note_start(job)
        return True

    def earliest(self, job: int, length: int, now: int, before: int) -> int:
        times, rows = self.times, self.rows
        whole, rest = divmod(self._procs[job], self._nodes.per_node)
        first = bisect_right(times, now) - 1
        while times[first] < before:
            begin, i, row = max(times[first], now), first, rows[first]
            while _fits(row, whole, rest):
                i += 1
                if times[i] >= begin + length:
                    return begin
                row = list(map(and_, row, rows[i]))
            first += 1
        return before

    def sooner(self, job: int, old: int, length: int, now: int, before: int) -> int:
        self.release(job, old, old + length)
        begin = self.earliest(job, length, now, before)
        self.restore(job, old, old + length)
        return begin

    def _common(self, begin: int, end: int) -> Row:
        first = bisect_right(self.times, begin) - 1
        row = self.rows[first]
        while self.times[first + 1] < end:
            first += 1
            row = list(map(and_, row, self.rows[first]))
        return row

    def _change(self, begin: int, end: int, shares: tuple[Share, ...], act: Act) -> None:
        if begin >= end or begin >= NEVER:
            return
        first, last = self._cut(begin), self._cut(end)
        for node, gpus in shares:
            if node not in self._out:
                for row in self.rows[first:last]:
                    act(row, node, gpus)
        self._join(last)
        self._join(first)

    def _cut(self, time: int) -> int:
        i = bisect_right(self.times, time) - 1
        if self.times[i] == time:
            return i
        self.times.insert(i + 1, time)
        self.rows.insert(i + 1, self.rows[i].copy())
        return i + 1

    def _join(self, i: int) -> None:
        if 0 < i < len(self.times) - 1 and self.rows[i] == self.rows[i - 1]:
            del self.times[i], self.rows[i]


def _fits(row: Row, whole: int, rest: int) -> bool:
    if row[-1].bit_count() < whole:
        return False
    return rest == 0 or row[rest].bit_count() > whole


def _occupy(row: Row, node: int, gpus: int) -> None:
    bit, k = 1 << node, len(row) - 1
    while not row[k] & bit:
        k -= 1
    for level in range(k - gpus + 1, k + 1):
        row[level] ^= bit


def _vacate(row: Row, node: int, gpus: int) -> None:
    bit, k = 1 << node, 1
    while row[k] & bit:
        k += 1
    for level in range(k, k + gpus):
        row[level] ^= bit
