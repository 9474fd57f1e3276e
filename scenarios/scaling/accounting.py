"""The jobs of the ninety days as Slurm's accounting shows them: who, how long, how many GPUs, how it ended.

The model knows whole hours. A job that waited starts in it at a full hour: it is moved earlier by a part of an
hour of its own, the same for all of its times. One that did not wait holds its GPUs from the full hour before
its start: its end is moved later by that part. Waits, lengths and GPU-hours are then those of the hours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from scenarios.company.profile import digest
from scenarios.company.profile.tables import Team
from scenarios.scaling.content import content, rows
from scenarios.scaling.scene import Scene
from scenarios.scaling.tables import Cells, slugs
from scenarios.scaling.traces import JobRow, Traces
from scenarios.simulator.streams import Stream

_LOOKS = {row["job_class"]: row for row in rows("accounting")}
FIRST_ID = 180_000
WEEK_H = 168.0
"""Longest job where the company has agreed on nothing else."""
GPU_CPUS, GPU_GIB, LIMIT_STEP = 14, 250, 30
"""Processors and memory that go with a GPU, and minutes to which people round the limit that they ask for.
Assumptions."""
HEAD: tuple[str, ...] = content("accounting")["columns"]


class Job(NamedTuple):
    """A job of the model, with whose it is. early_s: seconds by which its times lie before the model's."""

    row: JobRow
    team: str
    user: str
    name: str
    early_s: int
    util: int
    slack: float

    def days(self, most: int) -> Iterator[tuple[int, float]]:
        """Days from the first of the trace, below `most`, with the hours that it ran on each."""
        at, end = max(0.0, self.row.started_h), min(self.row.ended_h, most * 24.0)
        while at < end:
            day = int(at // 24)
            until = min(end, (day + 1) * 24.0)
            yield day, until - at
            at = until


def jobs_of(scene: Scene, traces: Traces) -> list[Job]:
    """All jobs of the trace, each given to a team that does such work and a person in it.

    A job that was stopped and started again has several rows; all of them are the same person's.
    """
    own = f"growth accounts {scene.level} {scene.seed} {digest(scene.profile)[:16]}"
    stream = Stream(own, "people")
    teams = scene.profile.teams
    choices = {work.job_class: _choices(teams, work.job_class) for work in scene.work}
    prefixes = _prefixes(teams)
    found: dict[tuple[str, int], Job] = {}
    jobs = []
    for row in traces.jobs:
        key = (row.job_class, row.id)
        if key not in found:
            found[key] = _job(stream, row, choices[row.job_class], prefixes)
        jobs.append(found[key]._replace(row=_held(row)))
    return jobs


def _held(row: JobRow) -> JobRow:
    """The row with the length for which the model held its GPUs."""
    return row._replace(ended_h=row.ended_h + row.started_h - math.floor(row.started_h))


def _choices(teams: Sequence[Team], job_class: str) -> list[tuple[Team, float]]:
    found = [(team, team.gpu_share * team.mix[job_class]) for team in teams]
    return [one for one in found if one[1] > 0] or [(team, 1.0) for team in teams]


def _prefixes(teams: Sequence[Team]) -> dict[str, str]:
    """Team -> the first letters of its people's logins, each its own."""
    found: dict[str, str] = {}
    for name, known in slugs([team.name for team in teams]).items():
        short, number = known.replace("_", "")[:4], 2
        while short in found.values():
            short, number = f"{known[:3]}{number}", number + 1
        found[name] = short
    return found


def _job(
    stream: Stream, row: JobRow, choices: Sequence[tuple[Team, float]], prefixes: dict[str, str]
) -> Job:
    team = stream.pick(choices)
    # A few people of a team do most of its work.
    person = int(team.headcount * stream.unit() ** 2) + 1
    look = _LOOKS[row.job_class]
    low, high = look["util"]
    ran = row.ended_h - row.started_h
    busy = 1 - min(1.0, row.idle_h / ran) if ran > 0 else 1.0
    name = stream.pick([(one, 1.0) for one in look["names"]])
    return Job(
        row,
        team.name,
        f"{prefixes[team.name]}{person:02}",
        name,
        int(3600 * stream.unit()) if row.started_h == int(row.started_h) else 0,
        round(busy * stream.between(low, high)),
        stream.between(1.15, 2.6),
    )


def sacct(scene: Scene, traces: Traces, jobs: Sequence[Job]) -> tuple[tuple[str, ...], list[Cells]]:
    """Columns and rows, as `sacct --parsable2 --allocations` has them, in the order of submission."""
    names, clusters = slugs([team.name for team in scene.profile.teams]), _clusters(scene)
    most = scene.profile.policies.get("longest_job_hours", WEEK_H)
    limit_h = float(most) if isinstance(most, int | float) else WEEK_H
    ids: dict[tuple[str, int], int] = {}
    found = []
    for job in sorted(jobs, key=lambda job: (job.row.submitted_h * 3600 - job.early_s, job.row.id)):
        row = job.row
        # A job that was stopped and started again has a row for each time, under the same id.
        id = ids.setdefault((row.job_class, row.id), FIRST_ID + len(ids))
        cluster = clusters[row.pool.rsplit("/", 2)[0]]
        whose = (
            id,
            job.name,
            job.user,
            names[job.team],
            _LOOKS[row.job_class]["partition"],
            cluster,
        )
        nodes = max(1, math.ceil(row.gpus / scene.profile.gpus_per_node))
        found.append((*whose, *_ran(traces, job, nodes, limit_h)))
    return HEAD, found


def _clusters(scene: Scene) -> dict[str, str]:
    """Site -> what its scheduler calls itself: the cluster's name, at further sites with the region."""
    own = scene.profile.cluster.lower()
    found = {}
    for number, place in enumerate(scene.places):
        region = re.sub(r"[^a-z0-9]+", "-", place.site.region.lower()).strip("-") or str(number + 1)
        found[place.site.name] = own if number == 0 else f"{own}-{region}"
    return found


def _ran(traces: Traces, job: Job, nodes: int, limit_h: float) -> Cells:
    """The cells from the submission on."""
    row, gpus = job.row, job.row.gpus
    state, started, ended = _state(traces, row)
    until = row.ended_h if ended else float(traces.hours)
    ran = round((until - row.started_h) * 3600) + (0 if ended else job.early_s) if started else 0
    limit = max(ran / 60, min(60 * limit_h, (row.ended_h - row.started_h) * 60 * job.slack))
    tres = (
        f"billing={gpus},cpu={gpus * GPU_CPUS},gres/gpu={gpus},mem={gpus * GPU_GIB}G,node={nodes}"
    )
    early = traces.midnight - timedelta(seconds=job.early_s)
    return (
        _clock(early, row.submitted_h),
        _clock(early, row.started_h) if started else "Unknown",
        _clock(early, row.ended_h) if ended else "Unknown",
        ran,
        math.ceil(limit / LIMIT_STEP) * LIMIT_STEP,
        nodes,
        tres if started else "",
        state,
        "0:0",
        f"gres/gpuutil={job.util}" if started else "",
    )


def _state(traces: Traces, row: JobRow) -> tuple[str, bool, bool]:
    """Its state at the end of the trace, whether it has started, whether it has ended."""
    if row.started_h >= traces.hours or row.started_h < row.submitted_h:
        return "PENDING", False, False
    if row.ended_h > traces.hours:
        return "RUNNING", True, False
    return row.state, True, True


def _clock(first: datetime, hours: float) -> str:
    return (first + timedelta(seconds=round(hours * 3600))).isoformat(timespec="seconds")
