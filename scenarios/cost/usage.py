"""What the GPUs were used for: tables from the year's jobs, which add up with one another."""

from __future__ import annotations

import itertools
from collections import defaultdict
from datetime import timedelta

from scenarios.cost.draw import DISPLACED, Scene
from scenarios.cost.endings import FAILURES
from scenarios.cost.job import Job
from scenarios.cost.jobs import History, history_of
from scenarios.cost.outcome import Cells, Part, Table, Worth
from scenarios.cost.sellers import slug

WEEKS = 52
_FIRST_USER = 1001
"""The lowest number of a user, as `sacct` names who cancelled a job."""
_CODES = {
    "COMPLETED": "0:0",
    "CANCELLED": "0:15",
    "FAILED": "1:0",
    "NODE_FAIL": "0:0",
    "OUT_OF_MEMORY": "0:125",
    "TIMEOUT": "0:0",
}
_FAILED = ("1:0", "1:0", "1:0", "2:0", "1:0", "134:0", "1:0", "139:0", "1:0", "255:0")
"""What programs that fail leave behind, one job after the other."""
_HOW = {
    "idle_reap": "{freed:,.0f} GPU-hours were allocated and never used",
    "rightsize_requests": "{freed:,.0f} GPU-hours were of GPUs that their job never touched",
    "goodput": "{freed:,.0f} GPU-hours ended in failure and could have been prevented",
    "binpack": "{freed:,.0f} GPU-hours lay free on partly used nodes while jobs of eight GPUs waited",
    "fair_share": "{freed:,.0f} GPU-hours of quota lay idle while others' jobs went to the cloud",
    "time_limits": "{freed:,.0f} GPU-hours were held for jobs that could not be filled in before",
}
_SHOWS = {
    "idle_reap": "usage/sacct.csv",
    "rightsize_requests": "usage/sacct.csv",
    "goodput": "usage/sacct.csv",
    "binpack": "usage/scheduler.csv",
    "fair_share": "usage/quotas.csv",
    "time_limits": "usage/scheduler.csv",
}


def used(scene: Scene) -> Part:
    """Usage by team and month, the jobs themselves, weekly utilisation, the scheduler's losses, quotas."""
    history = history_of(scene)
    tables = {
        "usage/usage.csv": _usage(history),
        "usage/sacct.csv": _sacct(scene, history),
        "usage/utilisation.csv": _utilisation(scene, history),
        "usage/scheduler.csv": _scheduler(scene, history),
        "usage/quotas.csv": _quotas(scene, history),
    }
    worths = [
        Worth(
            key,
            {"od.burst": history.part(key)},
            f"{said.format(freed=history.freed[key])}; each frees {DISPLACED} hours of burst, of which"
            f" there were"
            f" {history.burst_hours:,.0f}.",
            (_SHOWS[key], "policies/bursting.md"),
        )
        for key, said in _HOW.items()
    ]
    return Part([], tables, worths)


def tenths(gpu_minutes: int) -> str:
    """GPU-hours with one decimal; every job is a whole number of tenths."""
    return f"{gpu_minutes // 60}.{gpu_minutes % 60 // 6}"


def _usage(history: History) -> Table:
    sums: dict[tuple[str, ...], int] = defaultdict(int)
    for job in history.jobs:
        sums[job.start.isoformat()[:7], job.team, job.project, job.user, job.partition] += (
            job.gpu_minutes
        )
    head = ("month", "team", "project", "user", "partition", "gpu_hours")
    return Table(
        "GPU-hours by team, project and user",
        head,
        [(*key, tenths(gone)) for key, gone in sorted(sums.items())],
    )


def _sacct(scene: Scene, history: History) -> Table:
    users = sorted({job.user for job in history.jobs})
    numbers = {user: _FIRST_USER + n for n, user in enumerate(users)}
    own = scene.profile.gpus_per_node
    head = tuple(
        (
            "JobID JobName User Account Partition Comment Submit Start End ElapsedRaw TimelimitRaw "
            "AllocTRES State ExitCode TRESUsageInAve AdminComment"
        ).split()
    )
    rows = [_job_cells(job, numbers[job.user], own) for job in history.jobs]
    return Table("Jobs (sacct)", head, rows)


def _job_cells(job: Job, user: int, own: int) -> Cells:
    cores, memory = job.gpus * 14, job.gpus * 250
    code = _CODES[job.state]
    if job.state == "FAILED":
        code = _FAILED[job.id // 7 % len(_FAILED)]
    nodes = 1 if job.partition == "cloud-burst" else -(-job.gpus // own)
    state = f"CANCELLED by {user}" if job.state == "CANCELLED" else job.state
    return (
        job.id,
        job.name,
        job.user,
        job.team,
        job.partition,
        job.project,
        *(when.isoformat()[:19] for when in (job.submit, job.start, job.end)),
        job.minutes * 60,
        job.limit,
        f"billing={cores},cpu={cores},gres/gpu={job.gpus},mem={memory}G,node={nodes}",
        state,
        code,
        f"gres/gpumem={job.memory}G,gres/gpuutil={job.util}",
        f"gpus_touched={job.touched}",
    )


def _utilisation(scene: Scene, history: History) -> Table:
    """By team and ISO week of a job's start."""
    first = scene.days[0] - timedelta(days=scene.days[0].weekday())
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for job in history.jobs:
        if job.partition == "cloud-burst":
            continue
        week = first + timedelta(days=(job.start.date() - first).days // 7 * 7)
        row = sums[f"{week}", job.team]
        gone = job.gpu_minutes
        row[0] += gone
        row[1] += gone * job.util
        row[2] += gone if job.touched == 0 else 0
        row[3] += (job.gpus - job.touched) * job.minutes if job.touched else 0
        row[4] += gone if job.state in FAILURES else 0
    head = (
        "week_of",
        "team",
        "gpu_hours",
        "mean_gpu_util_percent",
        "never_used_gpu_hours",
        "untouched_gpus_gpu_hours",
        "failed_gpu_hours",
    )
    rows: list[Cells] = [
        (*key, tenths(row[0]), round(row[1] / row[0]), *(tenths(one) for one in row[2:]))
        for key, row in sorted(sums.items())
    ]
    return Table("Utilisation by team and week", head, rows)


def _spread(scene: Scene, what: str, total: float, parts: int) -> list[int]:
    """A sum of GPU-hours over weeks or months, uneven, in whole hours."""
    draw = scene.stream(f"spread {what}")
    weights = [draw.between(0.6, 1.4) for _ in range(parts)]
    whole = round(total)
    marks = [round(whole * sum(weights[:n]) / sum(weights)) for n in range(parts + 1)]
    return [b - a for a, b in itertools.pairwise(marks)]


def _scheduler(scene: Scene, history: History) -> Table:
    partly = _spread(scene, "binpack", history.freed["binpack"], WEEKS)
    held = _spread(scene, "held", history.freed["time_limits"], WEEKS)
    own = [job for job in history.jobs if job.partition != "cloud-burst"]
    ratio = sorted(job.limit / job.minutes for job in own)[len(own) // 2]
    head = (
        "week",
        "free_on_partly_used_nodes_while_8_gpu_jobs_wait_gpu_hours",
        "held_for_waiting_job_not_backfilled_gpu_hours",
        "median_limit_over_run_time",
    )
    rows: list[Cells] = [(f"{n + 1}", partly[n], held[n], f"{ratio:.1f}") for n in range(WEEKS)]
    return Table("What the scheduler could not use", head, rows)


def _quotas(scene: Scene, history: History) -> Table:
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for job in history.jobs:
        if job.partition != "cloud-burst":
            sums[job.start.isoformat()[:7], job.team] += job.gpu_minutes
    lost = _spread(scene, "quota", history.freed["fair_share"], len(scene.months))
    rows: list[Cells] = []
    for number, month in enumerate(scene.months):
        idle = [
            (round(scene.gpus * 24 * month.days * team.gpu_share), team)
            for team in scene.profile.teams
        ]
        room = [max(0, quota - sums[month.name, slug(team.name)] // 60) for quota, team in idle]
        whole = sum(room) or 1
        marks = [lost[number] * sum(room[:n]) // whole for n in range(len(room) + 1)]
        for n, (quota, team) in enumerate(idle):
            used_hours = tenths(sums[month.name, slug(team.name)])
            rows.append((month.name, slug(team.name), quota, used_hours, marks[n + 1] - marks[n]))
    head = (
        "month",
        "team",
        "quota_gpu_hours",
        "used_gpu_hours",
        "idle_quota_while_others_burst_gpu_hours",
    )
    return Table("Quotas", head, rows)
