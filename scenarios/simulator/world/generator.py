"""Workloads drawn from a shape: the same shape and seed, the same jobs on every platform."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate

from scenarios.simulator.streams import Stream
from scenarios.simulator.trace import Workload
from scenarios.simulator.world.shape import WEEK_DAYS, WEEKEND, Shape, Tenant

HOUR_S = 3_600
BURST_GAP_S = 5.0
"""Mean time between two submissions of a burst."""

Draft = tuple[float, int, Tenant]
"""(submission in seconds, processors, tenant)."""


def generate(shape: Shape, seed: str, ticks_per_second: int = 1) -> Workload:
    """Jobs by submission time; times in ticks, run times of at least one second.

    Arrivals, bursts, tenants, sizes, run times and estimates draw from streams of their
    own: changing how estimates are made changes nothing else.
    """
    drafts = sorted(_drafts(shape, seed), key=lambda draft: draft[0])
    runs, estimates = Stream(seed, "run times"), Stream(seed, "estimates")
    workload = Workload()
    for number, (submit, size, tenant) in enumerate(drafts):
        run = max(1.0, min(runs.lognormal(tenant.run_median_s, shape.run_sigma), shape.longest_s))
        over = estimates.lognormal(shape.over_median, shape.over_sigma)
        factor = 1.0 if estimates.chance(shape.exact) else 1.0 + over
        ticks = round(run * ticks_per_second)
        workload.add(
            number,
            round(submit * ticks_per_second),
            ticks,
            math.ceil(ticks * factor),
            size,
            (tenant.name, tenant.name, "", ""),
        )
    return workload


def _drafts(shape: Shape, seed: str) -> list[Draft]:
    arrivals, bursts = Stream(seed, "arrivals"), Stream(seed, "bursts")
    who, sizes = Stream(seed, "tenants"), Stream(seed, "sizes")
    hours = list(accumulate(hourly_rates(shape)))
    tenants = [(tenant, tenant.share) for tenant in shape.tenants]
    drafts: list[Draft] = []
    while len(drafts) < shape.jobs:
        time = _arrival(hours, arrivals, shape.length_s)
        tenant = who.pick(tenants)
        size = sizes.pick(list(tenant.gangs.items()))
        count = min(_burst(shape, bursts), shape.jobs - len(drafts))
        for _ in range(count):
            drafts.append((time, size, tenant))
            time += bursts.exponential(BURST_GAP_S) if count > 1 else 0.0
    return drafts


def hourly_rates(shape: Shape) -> list[float]:
    """Relative arrival rate of each hour, the last one perhaps cut short."""
    rates = []
    for hour in range(-(-shape.length_s // HOUR_S)):
        phase = 2 * math.pi * (hour + 0.5 - shape.day_peak_hour) / 24
        part = min(1.0, shape.length_s / HOUR_S - hour)
        week = shape.weekend if hour // 24 % WEEK_DAYS in WEEKEND else 1.0
        rates.append((1 + shape.day_swing * math.cos(phase)) * week * part)
    return rates


def _arrival(hours: list[float], stream: Stream, length_s: int) -> float:
    """A time in seconds with the density of the hourly rates; `hours` are running sums."""
    drawn = stream.unit() * hours[-1]
    hour = min(bisect_right(hours, drawn), len(hours) - 1)
    return min((hour + stream.unit()) * HOUR_S, float(length_s))


def _burst(shape: Shape, stream: Stream) -> int:
    """How many jobs arrive together: one, or two and geometrically more."""
    begins, drawn = stream.chance(shape.burst_share), stream.unit()
    more = shape.burst_mean - 2
    if not begins:
        return 1
    return 2 + (int(math.log(1 - drawn) / math.log(more / (1 + more))) if more else 0)


def habits(count: int, gangs: tuple[int, ...], run_median_s: float) -> tuple[Tenant, ...]:
    """`count` tenants unlike each other: a few submit most, some long and wide, some short.

    Shares fall as 1/rank; medians spread over a factor of 16 about `run_median_s`; each
    favours one of the sizes. Plain rules, no chance: for worlds without a trace.
    """
    tenants = []
    for number in range(count):
        favourite = gangs[number % len(gangs)]
        weights = {size: 4.0 if size == favourite else 1.0 for size in gangs}
        median = run_median_s * 4 ** (number % 5 / 2 - 1)
        tenants.append(Tenant(f"team-{number}", 1 / (number + 1), median, weights))
    return tuple(tenants)
