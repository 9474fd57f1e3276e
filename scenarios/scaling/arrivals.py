"""Jobs as they are submitted, and the curve of serving: hours count from the first of the first month."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scenarios.company.profile import digest
from scenarios.scaling.assumptions import MONTH_H
from scenarios.scaling.demand import Demand
from scenarios.scaling.scene import Scene, Work
from scenarios.simulator.streams import Stream

HISTORY_DAYS = 90
WARM_DAYS = 14
FIRST_H = -24 * (HISTORY_DAYS + WARM_DAYS)
"""Hour of the first job: the history, and two weeks before in which queues fill."""
MOST_JOBS = 60_000
"""Jobs of a class in a year, about: where there were more, several alike are submitted together."""
PEAK_HOUR, WORKDAY = 14, 1.6
"""Hour of a day in which most is asked for; people work at full rate for longer than a cosine is at its peak,
from about 9 to 19. Assumptions."""
SHORTEST_H, IDLE_SIGMA = 0.05, 0.6
"""Three minutes, below which nobody counts a job; spread of how long sessions are left open. Assumptions."""
LONGEST = 6.0
"""Longest job over the median."""

Hours = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Jobs:
    """Jobs of a class in order of submission. at, hours, idle in hours; sizes: index into `kinds`.

    kinds: GPUs of a job; copies: jobs that are submitted as one. hours are of work on a GPU of the fleet's
    model; idle: in which a session would keep its GPUs afterwards.
    """

    work: Work
    kinds: tuple[int, ...]
    copies: int
    at: Sequence[float]
    sizes: Sequence[int]
    hours: Sequence[float]
    idle: Sequence[float]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """All that is asked for. serving: GPUs by hour from FIRST_H, for each steady class."""

    jobs: tuple[Jobs, ...]
    serving: tuple[tuple[Work, Sequence[float]], ...]


@lru_cache(maxsize=12)
def asked(scene: Scene, demand: Demand) -> Asked:
    """Every job of the history and the year. Draws share their jobs: a busier year has them come sooner."""
    jobs, serving = [], []
    for one in scene.work:
        rate = _gpu_hours(scene, one, demand)
        if one.steady:
            serving.append((one, rate.tolist()))
        else:
            jobs.append(_jobs(scene, one, rate))
    return Asked(tuple(jobs), tuple(serving))


def hours_of(scene: Scene) -> int:
    """Hours of the year."""
    return sum(month.hours for month in scene.months)


def _gpu_hours(scene: Scene, one: Work, demand: Demand) -> Hours:
    """GPU-hours asked for in each hour from FIRST_H to the end of the year."""
    count = hours_of(scene) - FIRST_H
    at = np.arange(count) + FIRST_H
    rate = demand.rates.get(one.job_class, one.monthly)
    grown = np.where(at < 0, (1 + one.monthly) ** (at / MONTH_H), (1 + rate) ** (at / MONTH_H))
    start = scene.months[0].start + timedelta(hours=FIRST_H)
    week = _week(one)
    shape = week[(np.arange(count) + 24 * start.weekday()) % 168]
    level = grown * shape * (one.gpu_hours_day / 24)
    for event in demand.events:
        if event.kind == "launch" and event.subject == one.job_class:
            begins = sum(month.hours for month in scene.months[: event.month])
            level = level * np.where(at >= begins, event.factor, 1.0)
    return np.asarray(level, dtype=np.float64)


def _week(one: Work) -> Hours:
    """Hour of the week from Monday -> rate over its mean."""
    hour = np.arange(24)
    bump = (1 + np.cos((hour - PEAK_HOUR) * (2 * math.pi / 24))) / 2
    day = one.night + (1 - one.night) * (bump**2 if one.steady else np.minimum(1.0, WORKDAY * bump))
    week = np.concatenate([np.tile(day, 5), np.tile(day * one.weekend, 2)])
    return np.asarray(week / week.mean(), dtype=np.float64)


def _jobs(scene: Scene, one: Work, rate: Hours) -> Jobs:
    mean = mean_gpu_hours(one)
    copies = max(1, math.ceil(one.gpu_hours_day * 365 / mean / MOST_JOBS))
    total = np.concatenate([[0.0], np.cumsum(rate)]) / (mean * copies)
    units = _units(scene, one, int(total[-1] * 1.02) + 50)
    count = int(np.searchsorted(units.at, total[-1]))
    at = np.interp(units.at[:count], total, np.arange(len(total)) + FIRST_H)
    kinds = tuple(sorted(one.gpus))
    return Jobs(one, kinds, copies, at.tolist(), units.sizes, units.hours, units.idle)


def mean_gpu_hours(one: Work) -> float:
    """Of a job: sizes have their parts of GPU-hours, and lengths are cut off at LONGEST medians."""
    size = 1 / sum(part / gpus for gpus, part in one.gpus.items())
    return size * mean_hours(one)


def mean_hours(one: Work) -> float:
    """Mean of a log-normal that is cut off: E[min(X, c)]."""
    if one.sigma <= 0:
        return one.hours
    cut = math.log(LONGEST) / one.sigma
    below = math.exp(one.sigma**2 / 2) * _phi(cut - one.sigma)
    return one.hours * (below + LONGEST * (1 - _phi(cut)))


def _phi(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


@dataclass(slots=True, eq=False)
class _Units:
    """Jobs in the order of submission; at: in mean jobs since the first."""

    at: Hours
    sizes: list[int]
    hours: list[float]
    idle: list[float]


_made: dict[tuple[object, ...], _Units] = {}
_MOST_MADE = 24


def _units(scene: Scene, one: Work, count: int) -> _Units:
    """At least that many, the same first ones however many are asked for."""
    name = f"{digest(scene.profile)}/{scene.level}/{one.job_class}/{scene.seed}"
    key = (name, one.hours, one.sigma, one.idle_h, *sorted(one.gpus.items()))
    found = _made.get(key)
    if found is None or len(found.hours) < count:
        while len(_made) >= _MOST_MADE:
            _made.pop(next(iter(_made)))
        found = _made[key] = _drawn(one, count, name)
    return found


def _drawn(one: Work, count: int, name: str) -> _Units:
    chance = Stream(name, "jobs")
    unit, lognormal, most = chance.unit, chance.lognormal, len(one.gpus) - 1
    edges, total = [], 0.0
    for gpus in sorted(one.gpus):
        total += one.gpus[gpus] / gpus
        edges.append(total)
    at, sizes, hours, idle, now = [], [], [], [], 0.0
    longest = LONGEST * one.hours
    for _ in range(count):
        now -= math.log(1.0 - unit())
        draw = unit() * total
        at.append(now)
        sizes.append(min(bisect_right(edges, draw), most))
        hours.append(max(SHORTEST_H, min(longest, lognormal(one.hours, one.sigma))))
        idle.append(lognormal(one.idle_h, IDLE_SIGMA) if one.idle_h else 0.0)
    return _Units(np.array(at), sizes, hours, idle)
