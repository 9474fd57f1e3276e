"""The ninety days before the year: the same model, played on the present cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple

from scenarios.scaling.arrivals import HISTORY_DAYS, WARM_DAYS, asked
from scenarios.scaling.demand import median
from scenarios.scaling.estate import estate
from scenarios.scaling.plan import Plan
from scenarios.scaling.policies import before
from scenarios.scaling.pools import Entry, Lane, Pool
from scenarios.scaling.run import Run
from scenarios.scaling.scene import Scene
from scenarios.scaling.wording import picked


class JobRow(NamedTuple):
    """One job. Hours are since the first of the trace; ended is above its hours where it still runs.

    idle_h: hours at the end in which it held its GPUs and did nothing.
    """

    id: int
    job_class: str
    gpus: int
    submitted_h: float
    started_h: float
    ended_h: float
    idle_h: float
    pool: str
    state: str


@dataclass(frozen=True, slots=True)
class Traces:
    """Hourly series, each as long as `hours`. GPUs by class; storage in GB/s against `storage_limit_gbs`;
    spine: traffic over capacity of the uplinks by site (1 is full); power in kW by site.
    """

    start: date
    hours: int
    running: Mapping[str, Sequence[float]]
    queued: Mapping[str, Sequence[float]]
    idle: Sequence[float]
    """GPUs held by sessions that do nothing."""
    late: Sequence[float]
    """GPUs that serving asked for and did not get."""
    storage_gbs: Sequence[float]
    burst_gbs: Sequence[float]
    """Of storage_gbs, checkpoints."""
    storage_limit_gbs: float
    spine: Mapping[str, Sequence[float]]
    power_kw: Mapping[str, Sequence[float]]
    stranded: Sequence[float]
    """Free GPUs on nodes that small jobs share, while a job of whole nodes waits."""
    jobs: Sequence[JobRow]

    @property
    def midnight(self) -> datetime:
        """Hour 0 on the site's clock."""
        return datetime.combine(self.start, time())


class _Record:
    """Watches a run and writes its series down, from hour 0 of the history on."""

    def __init__(self, scene: Scene, first: int) -> None:
        self.first = first
        names = [one.job_class for one in scene.work]
        sites = [one.site.name for one in scene.places]
        self.running: dict[str, list[float]] = {name: [] for name in names}
        self.queued: dict[str, list[float]] = {name: [] for name in names}
        self.idle: list[float] = []
        self.late: list[float] = []
        self.storage_gbs: list[float] = []
        self.burst_gbs: list[float] = []
        self.spine: dict[str, list[float]] = {name: [] for name in sites}
        self.power_kw: dict[str, list[float]] = {name: [] for name in sites}
        self.stranded: list[float] = []
        self.jobs: list[JobRow] = []

    def hour(self, run: Run, now: int) -> None:
        """Write an hour down."""
        if now < self.first:
            return
        running, idle = dict.fromkeys(self.running, 0.0), 0.0
        for pool in run.own:
            for (name, _), lane in pool.lanes.items():
                running[name] += lane.gpus * lane.bucket.cut
                idle += (lane.gpus - lane.useful) * lane.bucket.cut
        queued = dict.fromkeys(self.queued, 0.0)
        for bucket in run.buckets:
            queued[bucket.name] += len(bucket.queue) * bucket.gpus
        for work, _ in run.asked.serving:
            running[work.job_class] += sum(one.serving for one in run.own)
            queued[work.job_class] += run.serving.short
        for name in running:
            self.running[name].append(round(running[name], 2))
            self.queued[name].append(round(queued[name], 2))
        self.idle.append(round(idle, 2))
        self.late.append(round(run.serving.short, 2))
        self.stranded.append(round(run.stranded_now, 2))
        traffic = run.traffic
        self.storage_gbs.append(round(sum(traffic.gbs), 3))
        self.burst_gbs.append(round(sum(traffic.burst_gbs), 3))
        for site, place in enumerate(run.scene.places):
            self.spine[place.site.name].append(round(traffic.spine[site], 4))
            self.power_kw[place.site.name].append(round(traffic.kw[site], 2))

    def ended(self, lane: Lane, entry: Entry, pool: Pool, at: float, state: str) -> None:
        """Write a job down that ended after the first hour."""
        if at < self.first:
            return
        idle = max(0.0, (at - entry[2]) * (1 - entry[3]))
        self.jobs.append(_row(lane, entry, pool, self.first, max(entry[2], at), idle, state))


def _row(
    lane: Lane, entry: Entry, pool: Pool, first: int, ended: float, idle_h: float, state: str
) -> JobRow:
    bucket, job = lane.bucket, entry[1]
    return JobRow(
        id=job,
        job_class=bucket.name,
        gpus=int(bucket.gpus),
        submitted_h=round(bucket.at[job] - first, 3),
        started_h=round(entry[2] - first, 3),
        ended_h=round(ended - first, 3),
        idle_h=round(idle_h, 3),
        pool=pool.name,
        state=state,
    )


@lru_cache(maxsize=12)
def history(scene: Scene, days: int = HISTORY_DAYS) -> Traces:
    """Cached. Two weeks in which queues fill come before and are left out; at most HISTORY_DAYS days."""
    days = max(1, min(days, HISTORY_DAYS))
    first = -24 * days
    record = _Record(scene, first)
    run = Run(scene, asked(scene, median(scene)), record)
    run.skip_to(first - 24 * WARM_DAYS)
    standing = estate(scene, Plan(), ())[0]
    run.begin(standing, before(scene), (), -1)
    run.hours(first - 24 * WARM_DAYS, 24 * (days + WARM_DAYS))
    jobs = [*record.jobs, *_still(run, first)]
    return Traces(
        start=scene.months[0].start - timedelta(days=days),
        hours=24 * days,
        storage_limit_gbs=round(sum(one.storage_gbs for one in standing), 2),
        **picked(record, "running queued idle late storage_gbs burst_gbs spine power_kw stranded"),
        jobs=sorted(jobs, key=lambda one: (one.submitted_h, one.job_class, one.id, one.started_h)),
    )


def _still(run: Run, first: int) -> list[JobRow]:
    """Jobs that run at the end of the history: they end later."""
    found = []
    for pool in run.own:
        for lane in pool.lanes.values():
            for entry in lane.heap:
                left = max(0.0, entry[0] - lane.clock) / (lane.pace or 1.0)
                found.append(_row(lane, entry, pool, first, left, 0.0, "RUNNING"))
    return found
