"""A period of jobs: what arrives when at the one submission queue, drawn from a family and a seed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import cos, pi

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.cloud_bursting.shape import BurstConfig

HIGH, NORMAL, LOW = 0, 1, 2
PRIORITIES = ("high", "normal", "low")
KINDS = ("retraining", "training", "tuning")
TEAMS = (("search", 3.0), ("speech", 2.0), ("vision", 3.0), ("maps", 2.0))
QUIET_END = 5 * HOUR
"""Nothing new arrives in the last hours of a period."""
BEGUN = 0.07
"""Share of the jobs that wait when the period begins: the primary is full from the start."""


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One job as its owner submits it: times in ms, data in GB, `every` = checkpoint interval or 0.

    `residency` is "" (may leave), "eu" (may go to clouds in the EU) or "primary" (must stay);
    `driver` is the oldest driver branch that its image runs with.
    """

    submit: int
    priority: int
    gpus: int
    work: int
    limit: int
    every: int
    protected: bool
    team: str
    data_gb: int
    result_gb: int
    residency: str
    driver: int


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of period: load as a share of the primary's GPU time, arrivals by hour, bursts."""

    name: str
    load: float
    intensity: Callable[[float, float], float]
    burst_share: float = 0.0
    bursts: int = 0


def _flat(hour: float, phase: float) -> float:
    return 1.0


def _day_night(hour: float, phase: float) -> float:
    return 1.0 + 0.8 * cos(2 * pi * (hour - 14.0 - phase) / 24.0)


def _sawtooth(hour: float, phase: float) -> float:
    return 2.2 if (hour + phase) % 6.0 < 1.5 else 0.5


FAMILIES = {
    family.name: family
    for family in (
        Family("steady", 1.20, _flat),
        Family("burst", 1.15, _flat, 0.45, 5),
        Family("diurnal", 1.18, _day_night),
        Family("failure-heavy", 1.12, _day_night),
        Family("adversarial", 1.15, _sawtooth, 0.2, 4),
    )
}

SIZES = (
    ((8, 0.5), (16, 0.3), (32, 0.2)),
    ((4, 0.3), (8, 0.5), (16, 0.2)),
    ((1, 0.15), (2, 0.2), (4, 0.3), (8, 0.35)),
)
MEDIAN_HOURS = (2.6, 3.2, 3.4)
SHARES = ((HIGH, 0.12), (NORMAL, 0.30), (LOW, 0.58))


def _size(stream: Stream, priority: int, config: BurstConfig) -> int:
    """GPUs of a job: whole nodes above one node, at most a quarter of the cluster."""
    per_node = config.gpus_per_node
    gpus = stream.pick(SIZES[priority])
    most = max(per_node, config.nodes // 4 * per_node)
    gpus = min(gpus, most)
    return gpus if gpus < per_node else gpus - gpus % per_node


def _residency(stream: Stream, team: str, rule: str) -> str:
    """Recordings of people stay at home or in the EU; two teams hold most of them."""
    drawn = stream.unit()
    if rule == "none":
        return ""
    share = 0.45 if team in ("speech", "maps") else 0.05
    if drawn >= share:
        return ""
    return "eu" if rule == "regions" and drawn < share / 2 else "primary"


def _job(stream: Stream, config: BurstConfig) -> JobSpec:
    priority = stream.pick(SHARES)
    team = stream.pick(TEAMS)
    work = int(min(9 * HOUR, stream.lognormal(MEDIAN_HOURS[priority] * HOUR, 0.5)))
    saves = stream.chance((0.8, 0.8, 0.85)[priority])
    every = int(stream.pick(((20, 1.0), (30, 2.0), (60, 1.0)))) * MINUTE
    new_image = stream.chance(0.4)
    return JobSpec(
        submit=0,
        priority=priority,
        gpus=_size(stream, priority, config),
        work=work + 20 * MINUTE,
        limit=int((work + 20 * MINUTE) * stream.between(1.1, 1.7)) // MINUTE * MINUTE + MINUTE,
        every=every if saves else 0,
        protected=stream.chance((0.7, 0.2, 0.07)[priority]),
        team=team,
        data_gb=max(1, min(400, int(stream.lognormal(14.0, 1.1)))),
        result_gb=max(1, min(60, int(stream.lognormal(4.0, 0.8)))),
        residency=_residency(stream, team, config.residency),
        driver=580 if new_image and config.drivers else 525,
    )


def _arrivals(family: Family, config: BurstConfig, phase: float) -> list[float]:
    """Cumulative arrivals by minute, ending at 1."""
    total, table = 0.0, []
    for minute in range((config.length - QUIET_END) // MINUTE):
        total += family.intensity(minute / 60.0, phase)
        table.append(total)
    return [value / total for value in table]


def _burst_times(stream: Stream, family: Family, config: BurstConfig) -> list[int]:
    width = (config.length - QUIET_END - 3 * HOUR) / max(1, family.bursts)
    return [
        int(2 * HOUR + width * (index + stream.between(0.1, 0.9))) for index in range(family.bursts)
    ]


def draw_jobs(family: Family, config: BurstConfig, seed: str) -> list[JobSpec]:
    """The period's jobs in order of arrival.

    Jobs are drawn until they hold `family.load` of the primary's GPU time, so two seeds of one
    family ask for the same amount of work; their times are drawn afterwards.
    """
    shapes, times = Stream(seed, "jobs"), Stream(seed, "arrivals")
    table = _arrivals(family, config, times.between(-1.5, 1.5))
    bursts = _burst_times(times, family, config)
    wanted = family.load * config.gpus * (config.length - QUIET_END)
    jobs: list[JobSpec] = []
    while wanted > 0:
        job = _job(shapes, config)
        if bursts and times.chance(family.burst_share):
            start = bursts[int(times.unit() * len(bursts))]
            submit = start + int(times.exponential(12 * MINUTE))
        elif times.chance(BEGUN):
            submit = 0
        else:
            minute = min(bisect_left(table, times.unit()), len(table) - 1)
            submit = minute * MINUTE + int(times.unit() * MINUTE)
        jobs.append(replace(job, submit=submit))
        wanted -= job.gpus * job.work
    return sorted(jobs, key=lambda job: job.submit)
