"""The plan of nodes with GPUs: every reservation is for particular nodes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import reduce
from operator import and_

from scenarios.simulator.engine import NEVER, Simulation
from scenarios.simulator.machine import Nodes, Share, choose

Held = tuple[int, int, int, int]
"""What a job holds, as bits of a step of the plan: its whole nodes, all levels of the node it shares,
the lowest of these levels, as many as it has GPUs there; and how far its GPUs move that node's bits."""
NOTHING: Held = (0, 0, 0, 0)

Rooms = list[int]
Own = tuple[int, int]
"""From which instant on which bits count as there: what the job itself holds in the plan."""
NOT_OWN: Own = (NEVER, 0)


class NodePlan:
    """A step function of free room; Nodes names the placement rule.

    `rooms[i]` is what is free from `times[i]` until `times[i + 1]`, one integer: bit n of its
    k-th group of as many bits as there are nodes says that more than k GPUs of node n are free.
    The room that two steps have in common is their bitwise and, and a node of which g GPUs are
    taken has its bits moved down by g groups.
    """

    def __init__(self, simulation: Simulation, nodes: Nodes) -> None:
        self._nodes, self._procs = nodes, simulation.procs
        self._simulation, self._per_node = simulation, nodes.per_node
        self._width = len(nodes.level)
        self._here = sum(1 << node for node in range(self._width) if node not in nodes.out)
        self._every = (1 << self._width) - 1
        self._groups = [
            sum(1 << k * self._width for k in range(g)) for g in range(nodes.per_node + 1)
        ]
        """A bit in each of the lowest g groups."""
        self.times = [0, NEVER]
        self.rooms = [self._here * self._groups[-1]] * 2
        self._shares: dict[int, tuple[Share, ...]] = dict(nodes.where)
        self._held = {job: self._masks(shares) for job, shares in nodes.where.items()}

    def _masks(self, shares: tuple[Share, ...]) -> Held:
        """What of `shares` is in service; a job has at most one node that is not all its own."""
        whole = shared = rest = 0
        for node, gpus in shares:
            if gpus == self._per_node:
                whole |= 1 << node
            else:
                shared, rest = 1 << node & self._here, gpus
        every = self._groups[-1]
        lowest = shared * self._groups[rest]
        return (whole & self._here) * every, shared * every, lowest, rest * self._width

    def trim(self, now: int) -> None:
        past = bisect_right(self.times, now) - 1
        if past > 0:
            del self.times[:past], self.rooms[:past]

    def reserve(self, job: int, begin: int, end: int) -> None:
        if begin >= NEVER:  # nothing in service would ever hold it
            self._shares[job], self._held[job] = (), NOTHING
            return
        first, last = bisect_right(self.times, begin) - 1, bisect_left(self.times, end)
        common = reduce(and_, self.rooms[first : max(last, first + 1)])
        self._shares[job] = choose(self._at_level(common, self._procs[job]), self._procs[job])
        self._held[job] = self._masks(self._shares[job])
        self.restore(job, begin, end)

    def _at_level(self, room: int, procs: int) -> list[int]:
        """As Nodes has it, without the levels that `procs` cannot use."""
        top, width = self._per_node, self._width
        lowest, every = procs % top or top, (1 << width) - 1
        above = [room >> k * width & every for k in range(lowest - 1, top)]
        exactly = [more & ~most for more, most in zip(above, [*above[1:], 0], strict=True)]
        return [0] * lowest + exactly

    def restore(self, job: int, begin: int, end: int) -> None:
        if begin >= end or begin >= NEVER:
            return
        first, last = self._cut(begin), self._cut(end)
        whole, shared, _, moved = self._held[job]
        others, steps = ~(whole | shared), self.rooms[first:last]
        if shared:
            self.rooms[first:last] = [room & others | (room & shared) >> moved for room in steps]
        else:
            self.rooms[first:last] = [room & others for room in steps]
        self._join(last)
        self._join(first)

    def release(self, job: int, begin: int, end: int) -> int:
        held = self._held[job]
        if begin >= end or begin >= NEVER:
            return 0
        first, last = self._cut(begin), self._cut(end)
        self.rooms[first:last] = _without(held, self.rooms[first:last])
        self._join(last)
        self._join(first)
        return (held[0] | held[1]) & self._every

    def start(self, job: int) -> bool:
        nodes, shares = self._nodes, self._shares[job]
        if any(nodes.level[node] < gpus or node in nodes.out for node, gpus in shares):
            return False
        nodes.take_at(job, shares)
        self._simulation.note_start(job)
        return True

    def earliest(self, job: int, length: int, now: int, before: int) -> int:
        return self.sooner(job, NEVER, length, now, before, self._every)

    def sooner(self, job: int, old: int, length: int, now: int, before: int, gained: int) -> int:
        procs, per_node = self._procs[job], self._per_node
        whole, rest, low = procs // per_node, procs % per_node, (procs - 1) % per_node * self._width
        bits, mine = gained << low, 0
        if old < NEVER:
            held = self._held[job]
            mine = held[0] | held[1]
        begin = self._window(self.rooms, bits, 1, now, before, length, (old, mine & bits))
        if begin == before or procs <= per_node:
            return begin
        full, part = self._every << per_node * self._width - self._width, self._every << low
        if not rest:
            return self._window(self.rooms, full, whole, begin, before, length, (old, mine & full))
        rooms = self.rooms
        if mine:
            first = bisect_left(self.times, old)
            rooms = rooms[:first] + _without(held, rooms[first:])
        while True:  # until the whole nodes and the shared one are there at the same instant
            begin = self._window(rooms, full, whole, begin, before, length, NOT_OWN)
            later = self._window(rooms, part, whole + 1, begin, before, length, NOT_OWN)
            if later == begin or later >= before:
                return later
            begin = later

    def _window(
        self, rooms: Rooms, bits: int, need: int, now: int, before: int, length: int, own: Own
    ) -> int:
        """The first instant in [now, before) from which `need` of `bits` stay for `length`, or `before`."""
        times, several, (old, mine) = self.times, need > 1, own
        first, until = bisect_right(times, now) - 1, bisect_left(times, before)
        mine_from = bisect_left(times, old) if mine else len(times)
        while True:
            while first < until:
                stay = rooms[first] & bits
                if stay and (not several or stay.bit_count() >= need):
                    break
                first += 1
            else:
                return before
            step, begin = first, times[first] if times[first] > now else now
            end = begin + length
            while first < until:
                step += 1
                if times[step] >= end:
                    return begin
                here = rooms[step] | mine if step >= mine_from else rooms[step]
                kept = stay & here
                if kept and (not several or kept.bit_count() >= need):
                    stay = kept
                    continue
                # From which step on do enough nodes last beyond this one? Back from here.
                first, before_it = step + 1, here & bits
                while before_it and (not several or before_it.bit_count() >= need):
                    first, stay = first - 1, before_it
                    before_it = stay & rooms[first - 1]
                    if first > mine_from:
                        before_it |= stay & mine
                if first > step:
                    break
                begin = times[first]
                end = begin + length
        return before

    def _cut(self, time: int) -> int:
        i = bisect_right(self.times, time) - 1
        if self.times[i] == time:
            return i
        self.times.insert(i + 1, time)
        self.rooms.insert(i + 1, self.rooms[i])
        return i + 1

    def _join(self, i: int) -> None:
        if 0 < i < len(self.times) - 1 and self.rooms[i] == self.rooms[i - 1]:
            del self.times[i], self.rooms[i]


def _without(held: Held, rooms: list[int]) -> list[int]:
    """The rooms with what is held free again."""
    whole, shared, lowest, moved = held
    if not shared:
        return [room | whole for room in rooms]
    free = whole | lowest
    return [room | free | (room & shared) << moved & shared for room in rooms]
