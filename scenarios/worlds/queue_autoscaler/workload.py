"""A day of jobs: what arrives when, drawn from a family and a seed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, pi

from scenarios.simulator.agenda import DAY, HOUR, MINUTE, SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import windows
from scenarios.worlds.queue_autoscaler.config import FaultConfig, WorldConfig

HIGH, NORMAL, LOW = 0, 1, 2
PRIORITIES = ("high", "normal", "low")
LAST_ARRIVAL = 23 * HOUR
LONGEST = 5 * HOUR
BEGUN = 0.04
"""Share of the day's jobs already waiting when the day begins."""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job as its owner knows it: times in ms, `every` = checkpoint interval or 0."""

    submit: int
    priority: int
    gpus: int
    work: int
    limit: int
    spot: bool
    every: int
    protected: bool
    zone: str = ""
    """Where its data lies, if they lie in one zone only."""
    tenant: str = ""
    promise: int = -1
    """Wait in ms that its tenant was promised, -1 for none."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of day: mean load as a share of all GPUs, arrivals by hour, bursts, trouble."""

    name: str
    load: float
    intensity: Callable[[float, float], float]
    trouble: Callable[[FaultConfig, Stream], FaultConfig]
    burst_share: float = 0.0
    bursts: int = 0
    high_burst: float = 0.0


def _flat(hour: float, phase: float) -> float:
    return 1.0


def _day_night(hour: float, phase: float) -> float:
    return 1.0 + 0.75 * cos(2 * pi * (hour - 14.0 - phase) / 24.0)


def _sawtooth(hour: float, phase: float) -> float:
    return 1.9 if (hour + phase) % 1.5 < 0.5 else 0.35


def _usual(faults: FaultConfig, stream: Stream) -> FaultConfig:
    return replace(
        faults,
        throttled=windows(stream, 3, 1, 4, DAY),
        stale=windows(stream, 10, 1, 3, DAY),
        stockouts=windows(stream, 2, 20, 60, DAY),
    )


def _failing(faults: FaultConfig, stream: Stream) -> FaultConfig:
    return replace(
        _usual(faults, stream),
        down_mean=faults.down_mean / 4,
        slow_mean=faults.slow_mean / 4,
        reclaim_mean=faults.reclaim_mean / 2,
        write_timeout=0.08,
        read_timeout=0.02,
        throttled=windows(stream, 8, 2, 6, DAY),
        stale=windows(stream, 30, 1, 3, DAY),
    )


def _hostile(faults: FaultConfig, stream: Stream) -> FaultConfig:
    waves = tuple(sorted(int(stream.between(2 * HOUR, 22 * HOUR)) for _ in range(5)))
    return replace(
        _usual(faults, stream),
        reclaim_waves=waves,
        stockouts=tuple((wave, wave + 25 * MINUTE) for wave in waves),
        throttled=tuple((wave + MINUTE, wave + 4 * MINUTE) for wave in waves),
        write_timeout=0.06,
        shortage=0.15,
    )


FAMILIES = {
    family.name: family
    for family in (
        Family("steady", 0.44, _flat, _usual),
        Family("burst", 0.36, _flat, _usual, burst_share=0.5, bursts=6),
        Family("diurnal", 0.42, _day_night, _usual),
        Family("failure-heavy", 0.42, _day_night, _failing),
        Family(
            "adversarial", 0.36, _sawtooth, _hostile, burst_share=0.25, bursts=5, high_burst=0.5
        ),
    )
}

SIZES = ((1, 0.34), (2, 0.15), (4, 0.16), (8, 0.21), (16, 0.10), (32, 0.04))
SHARES = ((HIGH, 0.16), (NORMAL, 0.52), (LOW, 0.32))


def _size(stream: Stream, config: WorldConfig) -> int:
    """GPUs of a job: whole nodes above one node, never more than half the firm capacity."""
    gpus = stream.pick(SIZES)
    if gpus > config.gpus_per_node:
        gpus -= gpus % config.gpus_per_node
    firm = max(pool.most for pool in config.pools if not pool.spot)
    return min(gpus, config.gpus_per_node * max(1, firm // 2))


def _job(stream: Stream, config: WorldConfig, high_share: float) -> JobSpec:
    gpus = _size(stream, config)
    priority = HIGH if stream.chance(high_share) else stream.pick(SHARES)
    median = (9.0, 13.0, 22.0)[priority] * (1.35 if gpus >= config.gpus_per_node else 1.0)
    work = min(LONGEST, int(stream.lognormal(median, 0.95) * MINUTE) + 90 * SECOND)
    saves = stream.chance((0.45, 0.7, 0.9)[priority])
    any_spot = any(pool.spot for pool in config.pools)
    return JobSpec(
        submit=0,
        priority=priority,
        gpus=gpus,
        work=work,
        limit=int(work * stream.between(1.15, 2.6)) // MINUTE * MINUTE + MINUTE,
        spot=stream.chance((0.0, 0.65, 1.0)[priority]) and saves and any_spot,
        every=int(stream.pick(((10, 1.0), (15, 1.0), (20, 1.0)))) * MINUTE if saves else 0,
        protected=priority == HIGH and stream.chance(0.6),
    )


def _at_home(job: JobSpec, config: WorldConfig, stream: Stream) -> JobSpec:
    """The job bound to a zone, or to none; a bound gang fits half of the zone's firm nodes."""
    left = stream.unit() if config.bound else 1.0
    for zone, share in config.bound:
        left -= share
        if left < 0:
            firm = max(pool.most for pool in config.pools if pool.zone == zone and not pool.spot)
            most = config.gpus_per_node * max(1, firm // 2)
            return replace(job, zone=zone, gpus=min(job.gpus, most))
    return job


def _of_tenant(job: JobSpec, config: WorldConfig, stream: Stream) -> JobSpec:
    """The job as its tenant's contract makes it."""
    if not config.tenants:
        return job
    tenant = stream.pick([(one, one.share) for one in config.tenants])
    promise = tenant.promise_min[job.priority]
    return replace(
        job,
        tenant=tenant.name,
        promise=promise * MINUTE if promise else -1,
        spot=job.spot and not tenant.firm,
        protected=job.protected or tenant.firm,
    )


def _arrival_table(family: Family, phase: float) -> list[float]:
    """Cumulative arrivals by minute of the day, ending at 1."""
    minutes = LAST_ARRIVAL // MINUTE
    total, table = 0.0, []
    for minute in range(minutes):
        total += family.intensity(minute / 60.0, phase)
        table.append(total)
    return [value / total for value in table]


def _arrival(stream: Stream, table: list[float]) -> int:
    share = stream.unit()
    minute = min(bisect_left(table, share), len(table) - 1)
    return minute * MINUTE + int(stream.unit() * MINUTE)


def _burst_times(stream: Stream, family: Family) -> list[int]:
    """Begin of each burst in ms: one in each equal slice of the day, never at its edge."""
    width = (LAST_ARRIVAL - 2 * HOUR) / max(1, family.bursts)
    return [
        int(HOUR + width * (index + stream.between(0.1, 0.9))) for index in range(family.bursts)
    ]


def draw_jobs(family: Family, config: WorldConfig, seed: str) -> list[JobSpec]:
    """The day's jobs in order of arrival.

    Jobs are drawn until they hold `family.load` of all GPU time, so two seeds of one
    family ask for the same amount of work; their times are drawn afterwards.
    """
    shapes, times = Stream(seed, "jobs"), Stream(seed, "arrivals")
    homes, owners = Stream(seed, "homes"), Stream(seed, "tenants")
    table = _arrival_table(family, times.between(-1.5, 1.5))
    bursts = _burst_times(times, family)
    wanted = family.load * config.most_gpus * config.length
    jobs: list[JobSpec] = []
    while wanted > 0:
        in_burst = bool(bursts) and times.chance(family.burst_share)
        job = _job(shapes, config, family.high_burst if in_burst else 0.0)
        job = _of_tenant(_at_home(job, config, homes), config, owners)
        if in_burst:
            start = bursts[int(times.unit() * len(bursts))]
            submit = start + int(times.exponential(4 * MINUTE))
        else:
            submit = 0 if times.chance(BEGUN) else _arrival(times, table)
        jobs.append(replace(job, submit=submit))
        wanted -= job.gpus * job.work
    return sorted(jobs, key=lambda job: job.submit)
