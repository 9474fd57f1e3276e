"""The plan of nodes with GPUs: every reservation is for particular nodes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import reduce
from operator import and_

from scenarios.simulator.engine import NEVER, Simulation
from scenarios.simulator.machine import Nodes, Share, choose

Held = tuple[int, int, int]
"""(mask of whole nodes, mask of one shared node or 0, GPUs on that node)."""
NOTHING: Held = (0, 0, 0)


class NodePlan:
    """A step function of free room; Nodes names the placement rule.

    `levels[k][i]` is the bit mask of the nodes with at least k GPUs free from `times[i]` until
    `times[i + 1]`: the room that two steps have in common is their bitwise and.
    """

    def __init__(self, simulation: Simulation, nodes: Nodes) -> None:
        self._nodes, self._procs = nodes, simulation.procs
        self._simulation, self._per_node = simulation, nodes.per_node
        self._here = sum(1 << node for node in range(len(nodes.level)) if node not in nodes.out)
        self.times = [0, NEVER]
        self.levels = [[self._here] * 2 for _ in range(nodes.per_node + 1)]
        self._none: dict[int, tuple[int, int]] = {}
        """Processors -> (length, until): no room for so many for so long begins before `until`."""
        self._shares: dict[int, tuple[Share, ...]] = dict(nodes.where)
        self._held = {job: self._masks(shares) for job, shares in nodes.where.items()}

    def _masks(self, shares: tuple[Share, ...]) -> Held:
        """What of `shares` is in service; a job has at most one node that is not all its own."""
        whole, shared, rest = NOTHING
        for node, gpus in shares:
            if gpus == self._per_node:
                whole |= 1 << node
            else:
                shared, rest = 1 << node & self._here, gpus
        return whole & self._here, shared, rest

    def trim(self, now: int) -> None:
        past = bisect_right(self.times, now) - 1
        if past > 0:
            del self.times[:past]
            for masks in self.levels:
                del masks[:past]

    def reserve(self, job: int, begin: int, end: int) -> None:
        if begin >= NEVER:  # nothing in service would ever hold it
            self._shares[job], self._held[job] = (), NOTHING
            return
        first, last = bisect_right(self.times, begin) - 1, bisect_left(self.times, end)
        last = max(last, first + 1)
        rest = self._procs[job] % self._per_node
        common = [reduce(and_, masks[first:last]) for masks in self.levels[rest or -1 :]]
        exactly = [more & ~most for more, most in zip(common, [*common[1:], 0], strict=True)]
        at_level = [0] * (self._per_node + 1 - len(exactly)) + exactly
        self._shares[job] = choose(at_level, self._procs[job])
        self._held[job] = self._masks(self._shares[job])
        self.restore(job, begin, end)

    def restore(self, job: int, begin: int, end: int) -> None:
        self._change(begin, end, self._held[job], taken=True)

    def release(self, job: int, begin: int, end: int) -> None:
        for procs, (length, until) in self._none.items():
            if until > begin - length:
                self._none[procs] = length, begin - length
        self._change(begin, end, self._held[job], taken=False)

    def start(self, job: int) -> bool:
        nodes, shares = self._nodes, self._shares[job]
        if any(nodes.level[node] < gpus or node in nodes.out for node, gpus in shares):
            return False
        nodes.take_at(job, shares)
        self._simulation.note_start(job)
        return True

    def earliest(self, job: int, length: int, now: int, before: int) -> int:
        return self._hole(job, length, now, before, NEVER)

    def sooner(self, job: int, old: int, length: int, now: int, before: int) -> int:
        return self._hole(job, length, now, before, old)

    def _hole(self, job: int, length: int, now: int, before: int, old: int) -> int:
        """The earliest instant in [now, before) with room, its own from `old` on included."""
        procs = self._procs[job]
        short, until = self._none.get(procs, (NEVER, 0))
        if short <= length and (until := min(until, old - short)) > now:
            if until >= before:
                return before
            now = max(now, self.times[bisect_right(self.times, until) - 1])
        begin = self._search(job, length, now, before, old)
        if length <= short or begin > until:
            self._none[procs] = length, begin
        return begin

    def _search(self, job: int, length: int, now: int, before: int, old: int) -> int:
        whole, rest = divmod(self._procs[job], self._per_node)
        own_whole, shared, gpus = self._held[job] if old < NEVER else NOTHING
        full, part = self.levels[-1], self.levels[rest]
        if not rest:
            return self._window(full, whole, (now, before), length, (old, own_whole))
        own = own_whole | shared
        if not whole:
            return self._window(part, 1, (now, before), length, (old, own))
        if gpus and own_whole | shared:
            i, beside = bisect_left(self.times, old), self.levels[self._per_node - gpus]
            full = full[:i] + [
                m | roomy & shared for m, roomy in zip(full[i:], beside[i:], strict=True)
            ]
        begin = now
        while True:  # until the whole nodes and the shared one are there at the same instant
            begin = self._window(full, whole, (begin, before), length, (old, own_whole))
            later = self._window(part, whole + 1, (begin, before), length, (old, own))
            if later == begin or later >= before:
                return later
            begin = later

    def _window(
        self, masks: list[int], need: int, span: tuple[int, int], length: int, own: tuple[int, int]
    ) -> int:
        """The first instant in `span` from which `need` nodes of `masks` stay for `length`.

        The second of `span` where there is none. From `own[0]` on the nodes `own[1]` count as well.
        """
        times, (now, before), mine = self.times, span, own[1]
        first, until = bisect_right(times, now) - 1, bisect_left(times, before)
        mine_from, several = bisect_left(times, own[0]), need > 1
        while True:
            while first < until:
                stay = masks[first]
                if stay and (not several or stay.bit_count() >= need):
                    break
                first += 1
            else:
                return before
            step, begin = first, times[first] if times[first] > now else now
            while first < until:
                step += 1
                if times[step] >= begin + length:
                    return begin
                here = masks[step] | mine if step >= mine_from else masks[step]
                stay &= here
                if stay and (not several or stay.bit_count() >= need):
                    continue
                # From which step on do enough nodes last beyond this one? Back from here.
                first, before_it = step + 1, here
                while before_it and (not several or before_it.bit_count() >= need):
                    first, stay = first - 1, before_it
                    before_it = stay & masks[first - 1]
                    if first > mine_from:
                        before_it |= stay & mine
                if first > step:
                    break
                begin = times[first]
        return before

    def _change(self, begin: int, end: int, held: Held, taken: bool) -> None:
        if begin >= end or begin >= NEVER:
            return
        first, last = self._cut(begin), self._cut(end)
        whole, shared, gpus = held
        for masks in self.levels[1:] if whole else ():
            steps = masks[first:last]
            masks[first:last] = [m & ~whole for m in steps] if taken else [m | whole for m in steps]
        if shared:
            (self._occupy if taken else self._vacate)(first, last, shared, gpus)
        self._join(last)
        self._join(first)

    def _occupy(self, first: int, last: int, node: int, gpus: int) -> None:
        """One node has `gpus` less: k are free where k + gpus were."""
        levels, top, others = self.levels, self._per_node, ~node
        for k in range(1, top + 1):
            steps = levels[k][first:last]
            if k + gpus > top:
                levels[k][first:last] = [mask & others for mask in steps]
            else:
                pairs = zip(steps, levels[k + gpus][first:last], strict=True)
                levels[k][first:last] = [mask & (others | above) for mask, above in pairs]

    def _vacate(self, first: int, last: int, node: int, gpus: int) -> None:
        """One node has `gpus` more: k are free where k - gpus were."""
        levels = self.levels
        for k in range(self._per_node, 0, -1):
            steps = levels[k][first:last]
            if k <= gpus:
                levels[k][first:last] = [mask | node for mask in steps]
            else:
                pairs = zip(steps, levels[k - gpus][first:last], strict=True)
                levels[k][first:last] = [mask | node & below for mask, below in pairs]

    def _cut(self, time: int) -> int:
        i = bisect_right(self.times, time) - 1
        if self.times[i] == time:
            return i
        self.times.insert(i + 1, time)
        for masks in self.levels:
            masks.insert(i + 1, masks[i])
        return i + 1

    def _join(self, i: int) -> None:
        if 0 < i < len(self.times) - 1:
            for masks in self.levels:
                if masks[i] != masks[i - 1]:
                    return
            del self.times[i]
            for masks in self.levels:
                del masks[i]
