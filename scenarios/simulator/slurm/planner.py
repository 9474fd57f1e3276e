"""The backfill scheduler's periodic pass: a plan of all waiting jobs from scratch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scenarios.simulator.slurm.nodes import Demand, holds
from scenarios.simulator.slurm.plan import Held, Plan


class Running(NamedTuple):
    """A job on the machine: when it must have ended at the latest, and what it holds."""

    end: int
    held: Held


class Waiting(NamedTuple):
    """A job in the queue: its limit is the time it is planned for."""

    job: int
    demand: Demand
    limit: int


def plan_starts(
    now: int, at_least: list[int], running: Iterable[Running], queue: Sequence[Waiting]
) -> list[tuple[int, Held]]:
    """Jobs whose planned slot is now, with what each gets, in the order of the queue.

    `at_least[k]` has the nodes with k or more GPUs free now. Each job of `queue` (best
    first) is given particular nodes from the earliest instant at which they are all free
    for its whole limit, so that no job before it is delayed. Nothing is carried over
    from the pass before. A running job past its limit may end at any moment: it counts
    as ending one unit of time from now.
    """
    plan = Plan(now, at_least)
    plan.add_ends(sorted((max(job.end, now + 1), job.held) for job in running))
    starts: list[tuple[int, Held]] = []
    last = len(queue) - 1
    free = plan.free_at_start()
    for place, job in enumerate(queue):
        while last >= place and not holds(free, queue[last].demand):
            last -= 1
        if last < place:
            break  # nobody from here on fits now, and the rest of the plan dies with the pass
        slot = plan.earliest(job.demand, max(job.limit, 1))
        if slot is None:
            continue
        start, (whole, shared) = slot
        held = (whole, shared, job.demand[1])
        plan.reserve(start, max(job.limit, 1), held)
        if start == now:
            starts.append((job.job, held))
            free = plan.free_at_start()
    return starts
