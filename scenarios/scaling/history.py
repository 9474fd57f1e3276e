"""The ninety days before the year as files: what ran, what waited, what that did to the cluster."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache

from scenarios.scaling.accounting import Job, jobs_of, sacct
from scenarios.scaling.scene import Scene, Work
from scenarios.scaling.tables import Cell, Cells, Table, plain, slugs
from scenarios.scaling.traces import Traces, history

DAYS, DAY = 90, 24
GPUS, QUEUE, WAITS = "history/gpus.csv", "history/queue.csv", "history/waits.csv"
STORAGE, NETWORK, POWER = "history/storage.csv", "history/network.csv", "history/power.csv"
TEAMS, JOBS = "history/teams.csv", "history/jobs.csv"


@lru_cache(maxsize=2)
def tables(scene: Scene) -> tuple[Table, ...]:
    """All files of the history, in the order in which they are shown."""
    traces = history(scene, DAYS)
    jobs = jobs_of(scene, traces)
    return (
        _gpus(scene, traces),
        _queue(scene, traces),
        _waits(scene, traces),
        _storage(traces),
        _network(scene, traces),
        _power(scene, traces),
        _teams(scene, traces, jobs),
        Table(JOBS, "Jobs of 90 days (sacct)", *sacct(scene, traces, jobs), mark="|"),
    )


def _times(traces: Traces) -> Iterator[str]:
    first = traces.midnight
    for hour in range(traces.hours):
        yield (first + timedelta(hours=hour)).isoformat(timespec="minutes")


def _hourly(path: str, title: str, traces: Traces, columns: Mapping[str, Sequence[Cell]]) -> Table:
    rows = list(zip(_times(traces), *columns.values(), strict=True))
    return Table(path, title, ("time", *columns), rows)


def _gpus(scene: Scene, traces: Traces) -> Table:
    """GPUs at each full hour by what holds them; those that nothing holds are free or out of service."""
    columns: dict[str, Sequence[Cell]] = {}
    for work in scene.work:
        columns[f"{work.job_class}_gpus"] = [plain(one) for one in traces.running[work.job_class]]
    columns["unallocated_gpus"] = [
        plain(max(0.0, scene.gpus - sum(float(columns[key][hour]) for key in columns)))
        for hour in range(traces.hours)
    ]
    columns["sessions_without_activity_gpus"] = [plain(one) for one in traces.idle]
    columns["free_on_shared_nodes_gpus"] = [plain(one) for one in traces.stranded]
    columns["serving_unserved_gpus"] = [plain(one) for one in traces.late]
    return _hourly(GPUS, "GPUs in use, by the hour", traces, columns)


def waiting(scene: Scene) -> list[Work]:
    """Classes whose jobs queue; serving runs all the time."""
    return [work for work in scene.work if not work.steady]


def _queue(scene: Scene, traces: Traces) -> Table:
    columns: dict[str, Sequence[Cell]] = {}
    for work in waiting(scene):
        name = work.job_class
        columns[f"{name}_queued_gpus"] = [plain(one) for one in traces.queued[name]]
        columns[f"{name}_oldest_wait_h"] = _oldest(traces, name)
    return _hourly(QUEUE, "The queue, by the hour", traces, columns)


def _oldest(traces: Traces, job_class: str) -> list[Cell]:
    """At each full hour how long the job has waited that has waited longest."""
    found = [0.0] * traces.hours
    for job in traces.jobs:
        if job.job_class != job_class or job.started_h <= job.submitted_h:
            continue
        first = max(0, math.ceil(job.submitted_h))
        for hour in range(first, min(traces.hours, math.ceil(job.started_h))):
            found[hour] = max(found[hour], hour - job.submitted_h)
    return [plain(one, 1) for one in found]


def _waits(scene: Scene, traces: Traces) -> Table:
    """By day of start: how many jobs, and how long half and 95 % of them had waited at most."""
    days = traces.hours // DAY
    columns: dict[str, list[Cell]] = {}
    for work in waiting(scene):
        waits: list[list[float]] = [[] for _ in range(days)]
        for job in traces.jobs:
            if job.job_class == work.job_class and 0 <= job.started_h < days * DAY:
                waits[int(job.started_h) // DAY].append(job.started_h - job.submitted_h)
        name = work.job_class
        columns[f"{name}_jobs"] = [len(one) for one in waits]
        for part in (50, 95):
            columns[f"{name}_p{part}_h"] = [quantile(one, part) for one in waits]
    rows: list[Cells] = [
        (f"{traces.start + timedelta(days=day)}", *cells)
        for day, cells in enumerate(zip(*columns.values(), strict=True))
    ]
    return Table(WAITS, "Queue waits, by the day", ("day", *columns), rows)


def quantile(values: Sequence[float], percent: int) -> Cell:
    """The smallest value that so many percent do not exceed; empty where there are none."""
    if not values:
        return ""
    return plain(sorted(values)[math.ceil(len(values) * percent / 100) - 1], 1)


def _storage(traces: Traces) -> Table:
    columns: dict[str, Sequence[Cell]] = {
        "asked_gbs": [plain(one) for one in traces.storage_gbs],
        "of_it_checkpoints_gbs": [plain(one) for one in traces.burst_gbs],
        "limit_gbs": [plain(traces.storage_limit_gbs)] * traces.hours,
    }
    return _hourly(STORAGE, "Storage bandwidth, by the hour", traces, columns)


def _network(scene: Scene, traces: Traces) -> Table:
    names = slugs([place.site.name for place in scene.places])
    columns = {
        f"{names[site]}_uplinks_percent": [plain(100 * one, 1) for one in values]
        for site, values in traces.spine.items()
    }
    return _hourly(NETWORK, "Uplinks from leaves to spines, by the hour", traces, columns)


def _power(scene: Scene, traces: Traces) -> Table:
    sites = [place.site for place in scene.places]
    names = slugs([site.name for site in sites])
    columns: dict[str, Sequence[Cell]] = {}
    for site in sites:
        columns[f"{names[site.name]}_kw"] = [plain(one, 1) for one in traces.power_kw[site.name]]
        columns[f"{names[site.name]}_limit_kw"] = [plain(site.total_kw, 1)] * traces.hours
    return _hourly(POWER, "Power by site, by the hour", traces, columns)


def _teams(scene: Scene, traces: Traces, jobs: Sequence[Job]) -> Table:
    """GPU-hours by team and day; a day's teams together are all GPU-hours of that day."""
    days = traces.hours // DAY
    used: dict[tuple[str, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for job in jobs:
        for day, hours in job.days(days):
            used[job.row.job_class, day][job.team] += hours * job.row.gpus
    teams = scene.profile.teams
    sums = [dict.fromkeys((team.name for team in teams), 0) for _ in range(days)]
    for work in scene.work:
        mix = {team.name: team.gpu_share * team.mix[work.job_class] for team in teams}
        for day in range(days):
            all_hours = sum(traces.running[work.job_class][day * DAY : (day + 1) * DAY])
            parts = {} if work.steady else used[work.job_class, day]
            for team, tenths in _split(round(10 * all_hours), parts or mix).items():
                sums[day][team] += tenths
    names = slugs([team.name for team in teams])
    rows: list[Cells] = [
        (
            f"{traces.start + timedelta(days=day)}",
            *(plain(one / 10, 1) for one in found.values()),
            plain(sum(found.values()) / 10, 1),
        )
        for day, found in enumerate(sums)
    ]
    return Table(TEAMS, "GPU-hours by team, by the day", ("day", *names.values(), "all"), rows)


def _split(whole: int, parts: Mapping[str, float]) -> dict[str, int]:
    """The whole in proportion to the parts, in whole numbers that add up to it."""
    total = sum(parts.values())
    if not whole or total <= 0:
        first = next(iter(parts), "")
        return {first: whole} if first else {}
    shares = {name: whole * part / total for name, part in parts.items()}
    found = {name: int(share) for name, share in shares.items()}
    left = sorted(shares, key=lambda name: (found[name] - shares[name], name))
    for name in left[: whole - sum(found.values())]:
        found[name] += 1
    return found
