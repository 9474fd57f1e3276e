"""Which nodes Slurm takes: sets of nodes as bit masks, lowest bit the lowest node."""

from __future__ import annotations

from collections.abc import Sequence

Demand = tuple[int, int]
"""(whole nodes, GPUs on one more node): what a gang needs at one instant."""


def demand_of(procs: int, per_node: int) -> Demand:
    """A job's demand on nodes of `per_node` GPUs: whole nodes, and the remainder on one more."""
    whole, rest = divmod(procs, per_node)
    return whole, rest


def consecutive(mask: int, count: int) -> int:
    """`count` nodes of `mask`: the tightest consecutive run that suffices, lowest first.

    Where no run suffices the largest is taken whole and the rest sought again. Observed
    on slurmctld 22.05.8 with whole-node jobs; `mask` must hold at least `count` nodes.
    """
    chosen = 0
    while count:
        first, length = _best_run(mask, count)
        length = min(length, count)
        run = ((1 << length) - 1) << first
        chosen |= run
        mask ^= run
        count -= length
    return chosen


def _best_run(mask: int, count: int) -> tuple[int, int]:
    """(first node, length) of the tightest run of at least `count`, else of the largest."""
    best, place = (True, 0, -1), 0
    while mask:
        gap = (mask & -mask).bit_length() - 1
        mask >>= gap
        place += gap
        length = (~mask & (mask + 1)).bit_length() - 1
        short = length < count
        best = min(best, (short, -length if short else length, place))
        mask >>= length
        place += length
    return best[2], abs(best[1])


def holds(at_least: Sequence[int], demand: Demand, within: int = -1) -> bool:
    """Whether a demand finds room within a mask; `at_least[k]`: nodes with k or more GPUs free."""
    whole, rest = demand
    if (at_least[-1] & within).bit_count() < whole:
        return False
    return not rest or (at_least[rest] & within).bit_count() > whole


def choose(full: int, part: int, demand: Demand, free_now: Sequence[int]) -> tuple[int, int]:
    """(mask of whole nodes, mask of the one node for the remainder) for a demand that fits.

    `full` are the nodes wholly free for all the job's time, `part` those with room for
    its remainder. That goes to the node which is fullest by `free_now`, lowest first;
    `free_now[k]` has the nodes with k or more GPUs free at the start.
    """
    whole, rest = demand
    taken = consecutive(full, whole)
    if not rest:
        return taken, 0
    left = part & ~taken
    for roomier in free_now[rest + 1 :]:
        if tight := left & ~roomier:
            return taken, tight & -tight
    return taken, left & -left


def members(mask: int) -> list[int]:
    """The numbers of the nodes in `mask`, ascending."""
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers
