"""When a blocked head can start, and what may run past that instant without delaying it."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Protocol

from scenarios.simulator.engine import NEVER, Simulation
from scenarios.simulator.machine import Nodes, Pool, choose, largest_in

JOB_BITS = 32
JOB = (1 << JOB_BITS) - 1


class PlannedEnds(list[int]):
    """Running jobs as planned end << JOB_BITS | job, sorted; a planned end is start + estimate."""

    def put(self, planned: int, job: int) -> None:
        insort(self, planned << JOB_BITS | job)

    def drop(self, planned: int, job: int) -> None:
        del self[bisect_left(self, planned << JOB_BITS | job)]


class Horizon(Protocol):
    """The head's reservation, kept until room comes back.

    `shadow` is the instant from which the head fits if everyone runs to the planned end.
    """

    shadow: int

    def look(self, head: int, ends: PlannedEnds) -> None:
        """Reserve for `head`, which does not fit now."""
        ...

    def spare(self) -> int:
        """The largest job that fits now and leaves the reservation alone for ever."""
        ...

    def start_past(self, job: int) -> None:
        """Start `job`, which runs past the shadow, in what is spare."""
        ...


class PoolHorizon:
    """A pool: what is left over at the shadow is a number of processors."""

    def __init__(self, simulation: Simulation, pool: Pool) -> None:
        self._simulation, self._pool, self._procs = simulation, pool, simulation.procs
        self.shadow = self._extra = 0

    def look(self, head: int, ends: PlannedEnds) -> None:
        free, procs = self._pool.free, self._procs
        missing, shadow = procs[head] - free, -1
        for key in ends:
            if missing <= 0 and key >> JOB_BITS != shadow:
                break
            shadow = key >> JOB_BITS
            missing -= procs[key & JOB]
        self.shadow = shadow if missing <= 0 else NEVER
        self._extra = -missing if missing <= 0 else free

    def spare(self) -> int:
        return min(self._extra, self._pool.free)

    def start_past(self, job: int) -> None:
        self._extra -= self._procs[job]
        self._simulation.start(job)


class NodesHorizon:
    """Nodes: the head's particular nodes at the shadow are set aside.

    `_left[n]` is what node n has free at the shadow beside the head. Only on the head's own
    nodes can that be less than what is free now, so only those are looked at.
    """

    def __init__(self, simulation: Simulation, nodes: Nodes) -> None:
        self._simulation, self._nodes = simulation, nodes
        self.shadow = 0
        self._left: dict[int, int] = {}

    def look(self, head: int, ends: PlannedEnds) -> None:
        need = self._simulation.procs[head]
        later, shadow, fits = self._nodes.draft(), -1, False
        for key in ends:
            if key >> JOB_BITS != shadow:
                if fits := later.free >= need and later.fits(need):
                    break
                shadow = key >> JOB_BITS
            later.release(self._nodes.where[key & JOB])
        fits = fits or later.fits(need)
        self.shadow = shadow if fits else NEVER
        shares = choose(later.at_level, need) if fits else ()
        self._left = {node: later.level[node] - gpus for node, gpus in shares}

    def spare(self) -> int:
        return largest_in(self._spare_masks())

    def start_past(self, job: int) -> None:
        shares, left = choose(self._spare_masks(), self._simulation.procs[job]), self._left
        for node, gpus in shares:
            if node in left:
                left[node] -= gpus
        self._nodes.take_at(job, shares)
        self._simulation.note_start(job)

    def _spare_masks(self) -> list[int]:
        level, masks = self._nodes.level, self._nodes.at_level.copy()
        for node, left in self._left.items():
            if left < level[node] and node not in self._nodes.out:
                masks[level[node]] ^= 1 << node
                masks[left] |= 1 << node
        return masks


def open_horizon(simulation: Simulation) -> Horizon:
    """The horizon that suits the machine; ValueError for a machine it does not know."""
    machine = simulation.machine
    if isinstance(machine, Pool):
        return PoolHorizon(simulation, machine)
    if isinstance(machine, Nodes):
        return NodesHorizon(simulation, machine)
    raise ValueError("Backfill needs a pool of processors or nodes of GPUs.")
