"""From a quarter that has passed to raw figures; no anchor and no score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.averages import percentile
from scenarios.worlds.contract import Series
from scenarios.worlds.front import Incident
from scenarios.worlds.slurm_fair_partitions.cluster import SharedCluster
from scenarios.worlds.slurm_fair_partitions.config import INFERENCE, TRAINING, ClusterConfig
from scenarios.worlds.slurm_fair_partitions.controls import Controls
from scenarios.worlds.slurm_fair_partitions.job import Job, State
from scenarios.worlds.slurm_fair_partitions.paperwork import due_days, right_rows
from scenarios.worlds.slurm_fair_partitions.workload import Kind


def series(config: ClusterConfig) -> tuple[Series, ...]:
    """The lines of the timeline, in the order in which the ledger samples them."""
    teams = [team.name for team in config.teams]
    return (
        *(Series(f"used_{t}", f"{t}: A100 held", "GPUs", "A100 by team") for t in teams),
        *(Series(f"waiting_{t}", f"{t}: A100 waited for", "GPUs", "waiting") for t in teams),
        Series("useful", "A100 at work", "GPUs", "use"),
        Series("serving", "T4 at work for inference", "GPUs", "use"),
        Series("foreign", "T4 held by other work", "GPUs", "use"),
        Series("queue_inference", "Inference jobs waiting", "jobs", "inference queue"),
    )


def _waits(jobs: Sequence[Job], now: int, unit: int) -> list[float]:
    """Sorted waits of everything asked for; a job that somebody else cancelled waits until now."""
    return sorted(job.total_wait(now) / unit for job in jobs if job.state != State.UNSEEN)


def _team_waits(cluster: SharedCluster, team: int) -> list[float]:
    """Hours that a team's training jobs waited; of arrays and sessions those that were cancelled.

    Tasks of an array wait for each other, so that they would say little; one that is cancelled
    against the agreement was not served at all.
    """
    mine = [
        j
        for j in cluster.jobs
        if j.spec.team == team
        and (j.spec.kind == Kind.TRAIN or (j.denied and j.spec.kind != Kind.INFER))
    ]
    return _waits(mine, cluster.now, HOUR)


def figures(
    cluster: SharedCluster, controls: Controls, incidents: Sequence[Incident]
) -> dict[str, Any]:
    """Raw figures; the units stand in the names. Shares are of ticks, GPU-hours or rows."""
    config, ledger, now = cluster.config, cluster.ledger, cluster.now
    infer = [job for job in cluster.jobs if job.spec.kind == Kind.INFER]
    lost_writes = [row for row in incidents if not row.handled]
    days = max(1.0, now / DAY)
    return {
        "days": round(days, 3),
        "minimum_met_pct": {
            team.name: _share(ledger.short_ticks[n], ledger.demand_ticks[n])
            for n, team in enumerate(config.teams)
        },
        "contract": [team.name for team in config.teams if team.contract],
        "inference_waits_min": [round(w, 2) for w in _waits(infer, now, MINUTE)],
        "training_wait_p95_h": {
            team.name: round(percentile(_team_waits(cluster, n), 0.95) or 0.0, 3)
            for n, team in enumerate(config.teams)
        },
        "misplaced_gpu_h": ledger.misplaced / HOUR,
        "unfair_gpu_h": ledger.unfair / HOUR,
        "shared_gpu_h": ledger.shared / HOUR,
        "useful_gpu_h": ledger.useful / HOUR,
        "usable_gpu_h": ledger.usable / HOUR,
        "idle_held_gpu_h": ledger.idle_held / HOUR,
        "thrown_away_gpu_h": ledger.thrown / HOUR,
        "thrown_away_by_gpu_h": {k: v / HOUR for k, v in sorted(ledger.thrown_by.items())},
        "missed_blocks": len(ledger.missed_blocks),
        "changes": controls.changes,
        "reversals": controls.reversals,
        "requeues": controls.requeues,
        "lost_writes": [[row.at, row.subject] for row in lost_writes],
        "broken_rules": [[r.at // 1000, r.rule, r.subject] for r in controls.broken],
        **_paper(cluster, controls),
        "jobs": sum(job.state != State.UNSEEN for job in cluster.jobs),
        "jobs_done": sum(job.state == State.DONE for job in cluster.jobs),
    }


def _share(bad: int, of: int) -> float | None:
    return round(100.0 * (1 - bad / of), 4) if of else None


def _paper(cluster: SharedCluster, controls: Controls) -> dict[str, Any]:
    right = rows = 0
    for day in due_days(cluster.config):
        if day * DAY > cluster.now:
            continue
        truth = cluster.ledger.gpu_hours((day - 1) * DAY, day * DAY)
        good, of = right_rows(cluster.config, truth, controls.reports.get(day))
        right, rows = right + good, rows + of
    return {
        "report_rows_right": right,
        "report_rows": rows,
        "templates": sorted(cluster.templates),
        "templates_wanted": [INFERENCE, TRAINING],
    }
