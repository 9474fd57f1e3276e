"""A shape read off a trace, so that more of the like can be generated."""

from __future__ import annotations

import cmath
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median

from scenarios.simulator.trace import Workload
from scenarios.simulator.world.shape import DAY_S, WEEK_DAYS, WEEKEND, Shape, Tenant

BURST_WITHIN_S = 60
"""Submissions of one tenant and size no further apart than this belong to one burst."""


def fit(workload: Workload, ticks_per_second: int = 1, most_tenants: int = 50) -> Shape:
    """The shape of a trace; ValueError when there is nothing to read.

    Times of day and week count from the trace's first day, as `submit` 0 begins it. Sizes
    are rounded to powers of two. Tenants beyond the `most_tenants` busiest are one tenant.
    """
    if len(workload) < 2:
        raise ValueError("A shape can be fitted to a trace of two jobs or more.")
    tick = ticks_per_second
    length_s = max(1, math.ceil(max(workload.submit) / tick))
    names = _names(workload, most_tenants)
    bursts = _bursts(workload, names, BURST_WITHIN_S * tick)
    tenants = _tenants(workload, names, bursts, tick)
    medians = {tenant.name: tenant.run_median_s for tenant in tenants}
    logs = [
        math.log(max(run, 1) / tick / medians[names[job]]) for job, run in enumerate(workload.run)
    ]
    swing, peak = _day([workload.submit[burst[0]] / tick for burst in bursts], length_s)
    weekend = _weekend([workload.submit[burst[0]] / tick for burst in bursts], length_s)
    several = [len(burst) for burst in bursts if len(burst) > 1]
    exact, over_median, over_sigma = _estimates(workload)
    return Shape(
        jobs=len(workload),
        length_s=length_s,
        tenants=tenants,
        run_sigma=math.sqrt(fmean(value * value for value in logs)),
        longest_s=max(1, max(workload.run) // tick),
        day_swing=swing,
        day_peak_hour=peak,
        weekend=weekend,
        burst_share=len(several) / len(bursts),
        burst_mean=fmean(several) if several else 2.0,
        exact=exact,
        over_median=over_median,
        over_sigma=over_sigma,
    )


def _names(workload: Workload, most: int) -> list[str]:
    busiest = {name for name, _ in Counter(workload.user).most_common(most)}
    return [name if name in busiest else "others" for name in workload.user]


def _bursts(workload: Workload, names: list[str], within: int) -> list[list[int]]:
    """Jobs by burst; most are bursts of one."""
    latest: dict[tuple[str, int], list[int]] = {}
    bursts = []
    for job in sorted(range(len(workload)), key=workload.submit.__getitem__):
        key = names[job], workload.procs[job]
        burst = latest.get(key)
        if burst and workload.submit[job] - workload.submit[burst[-1]] <= within:
            burst.append(job)
        else:
            latest[key] = burst = [job]
            bursts.append(burst)
    return bursts


def _tenants(
    workload: Workload, names: list[str], bursts: list[list[int]], tick: int
) -> tuple[Tenant, ...]:
    runs, sizes = defaultdict[str, list[int]](list), defaultdict[str, Counter[int]](Counter)
    for job, name in enumerate(names):
        runs[name].append(workload.run[job])
    for burst in bursts:
        sizes[names[burst[0]]][_power(workload.procs[burst[0]])] += 1
    return tuple(
        Tenant(
            name,
            sizes[name].total() / len(bursts),
            max(median(runs[name]), 1) / tick,
            {size: count / sizes[name].total() for size, count in sorted(sizes[name].items())},
        )
        for name in sorted(runs)
    )


def _power(size: int) -> int:
    """The power of two nearest to a size, by ratio."""
    return 1 << round(math.log2(size))


def _day(times: Sequence[float], length_s: int) -> tuple[float, float]:
    """Swing and peak hour: the first harmonic of the arrivals over whole days."""
    whole = length_s // DAY_S * DAY_S
    inside = [time for time in times if time < whole]
    if not inside:
        return 0.0, 0.0
    harmonic = sum(cmath.exp(2j * math.pi * time / DAY_S) for time in inside) / len(inside)
    return min(1.0, 2 * abs(harmonic)), cmath.phase(harmonic) % (2 * math.pi) / (2 * math.pi) * 24


def _weekend(times: Sequence[float], length_s: int) -> float:
    """Arrivals of a weekend day over those of another; 1 where the trace is under a week."""
    weeks = length_s // (WEEK_DAYS * DAY_S)
    days = Counter(int(time // DAY_S) % WEEK_DAYS for time in times if time < weeks * 7 * DAY_S)
    rest = sum(days[day] for day in range(WEEK_DAYS) if day not in WEEKEND)
    if not weeks or not rest:
        return 1.0
    free = sum(days[day] for day in WEEKEND)
    return (free / len(WEEKEND)) / (rest / (WEEK_DAYS - len(WEEKEND)))


def _estimates(workload: Workload) -> tuple[float, float, float]:
    """Share of exact estimates; median and sigma of what the others add, over the run time."""
    pairs = zip(workload.run, workload.estimate, strict=True)
    over = [math.log(estimate / run - 1) for run, estimate in pairs if estimate > run > 0]
    exact = 1 - len(over) / len(workload)
    if not over:
        return exact, 1.0, 0.0
    middle = median(over)
    sigma = math.sqrt(fmean((value - middle) ** 2 for value in over))
    return exact, math.exp(middle), sigma
