"""The backfill scheduler's periodic pass: a plan of all waiting jobs from scratch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from scenarios.simulator.slurm.nodes import Demand, holds
from scenarios.simulator.slurm.plan import ANYWHERE, Held, Plan


class Running(NamedTuple):
    """A job on the machine: when it must have ended at the latest, and what it holds."""

    end: int
    held: Held


class Waiting(NamedTuple):
    """A job in the queue: its limit is the time it is planned for.

    It runs in one of the sets of nodes `within` (bit masks): where it can start soonest, in the
    first of them if they are alike.
    """

    job: int
    demand: Demand
    limit: int
    within: tuple[int, ...] = (ANYWHERE,)


Kept = tuple[int, int, int]
"""A reservation that is yet to begin: when, for how long, and the mask of its nodes."""


def plan_starts(
    now: int, at_least: list[int], running: Iterable[Running], queue: Sequence[Waiting]
) -> list[tuple[int, Held]]:
    """Jobs whose planned slot is now, with what each gets, in the order of the queue."""
    return list(planned(now, at_least, running, queue))


def planned(
    now: int,
    at_least: list[int],
    running: Iterable[Running],
    queue: Sequence[Waiting],
    kept: Iterable[Kept] = (),
    barred: Callable[[int], object] = lambda job: False,
) -> Iterator[tuple[int, Held]]:
    """Jobs whose planned slot is now, one by one: whoever asks for the next has started the last.

    `at_least[k]` has the nodes with k or more GPUs free now. Each job of `queue` (best
    first) is given particular nodes from the earliest instant at which they are all free
    for its whole limit, so that no job before it is delayed. Nothing is carried over
    from the pass before. A running job past its limit may end at any moment: it counts
    as ending one unit of time from now. What reservations have `kept` nobody gets then. A job
    that a limit has `barred` by the time it is looked at has no place in the plan.
    """
    last = _last_that_fits(at_least, queue, len(queue) - 1)
    if last < 0:
        return
    plan = Plan(now, at_least)
    plan.add_ends(sorted((max(job.end, now + 1), job.held) for job in running))
    for begin, length, nodes in kept:
        plan.reserve(begin, length, (nodes, 0, 0))
    for place, job in enumerate(queue):
        if last < place:
            return  # nobody from here on fits now, and the rest of the plan dies with the pass
        if barred(job.job):
            continue
        slot = _soonest(plan, job)
        if slot is None:
            continue
        start, (whole, shared) = slot
        held = (whole, shared, job.demand[1])
        plan.reserve(start, max(job.limit, 1), held)
        if start == now:
            yield job.job, held
            last = _last_that_fits(plan.free_at_start(), queue, last)


def _last_that_fits(free: list[int], queue: Sequence[Waiting], last: int) -> int:
    """The last job up to place `last` for which there is room now; -1 where there is none."""
    while last >= 0:
        job = queue[last]
        for mask in job.within:
            if holds(free, job.demand, mask):
                return last
        last -= 1
    return last


def _soonest(plan: Plan, job: Waiting) -> tuple[int, tuple[int, int]] | None:
    best = None
    for mask in job.within:
        slot = plan.earliest(job.demand, max(job.limit, 1), mask)
        if slot is not None and (best is None or slot[0] < best[0]):
            best = slot
    return best
