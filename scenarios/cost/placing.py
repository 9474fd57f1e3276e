"""Gives the jobs on our own GPUs starts at which there is room for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from scenarios.cost.draw import Month, Scene
from scenarios.cost.job import Job

_SLOT = 30
"""Minutes; a job takes whole ones, and begins somewhere in what it leaves of them."""


def placed(jobs: Sequence[Job], scene: Scene) -> list[Job]:
    """The jobs in their order, each begun and ended within its month, never more GPUs at a time than there are.

    A job keeps its month, its run time and how long it waited; its start moves to the next time with room,
    long and large jobs choosing first. Where a month is too full the job stands where fewest GPUs are in use.
    """
    found = list(jobs)
    begun: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, job in enumerate(found):
        begun[job.start.year, job.start.month].append(at)
    for month in scene.months:
        mine = begun[month.start.year, month.start.month]
        mine.sort(key=lambda at: (-found[at].gpu_minutes * found[at].minutes, at))
        used = [0] * (month.days * 24 * 60 // _SLOT)
        for at in mine:
            found[at] = _with_room(found[at], month, used, scene.gpus)
    return found


def _with_room(job: Job, month: Month, used: list[int], gpus: int) -> Job:
    """The job at its new start; `used` has GPUs in use by slot and gains the job's."""
    first = datetime(month.start.year, month.start.month, 1, tzinfo=UTC)
    minute = int((job.start - first).total_seconds()) // 60
    long = -(-job.minutes // _SLOT)
    slot = _slot(used, minute // _SLOT, long, gpus - job.gpus)
    for at in range(slot, slot + long):
        used[at] += job.gpus
    begun = slot * _SLOT + minute % (long * _SLOT - job.minutes + 1)
    start = first + timedelta(minutes=begun)
    job.submit, job.start = start - (job.start - job.submit), start
    return job


def _slot(used: list[int], wanted: int, long: int, most: int) -> int:
    """The first slot from the wanted one on, round the month, from which no more than `most` are in use.

    Where there is none: the one at which fewest are in use.
    """
    last = max(0, len(used) - long)
    begin = min(wanted, last)
    for first, end in ((begin, last), (0, begin)):
        slot = first
        while slot <= end:
            window = used[slot : slot + long]
            if max(window) <= most:
                return slot
            slot += _past(window, most)
    return min(range(last + 1), key=lambda slot: max(used[slot : slot + long]))


def _past(window: list[int], most: int) -> int:
    """How far the window has to move to leave its last slot with more than `most` behind."""
    at = len(window)
    while window[at - 1] <= most:
        at -= 1
    return at
