"""What the scheduler's exporter on the controller shows once a minute: queue, nodes, GPUs, its own cycles.

Everything is counted from the jobs that sacct lists, so that a chart and a command tell the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from scenarios.simulator.streams import Stream
from scenarios.troubleshooting.columns import Block, Labels, Metric
from scenarios.troubleshooting.jobs import Job
from scenarios.troubleshooting.shapes import Array
from scenarios.troubleshooting.signals.stage import Stage

EXPORTER, PORT, EVERY = "slurm_exporter", 8080, 60
_GAUGES = (
    ("slurm_queue_running", "Running jobs in the cluster"),
    ("slurm_queue_pending", "Pending jobs in queue"),
    ("slurm_nodes_alloc", "Allocated nodes"),
    ("slurm_nodes_mix", "Mix nodes"),
    ("slurm_nodes_idle", "Idle nodes"),
    ("slurm_nodes_drain", "Drain nodes"),
    ("slurm_nodes_down", "Down nodes"),
    ("slurm_gpus_alloc", "Allocated GPUs"),
    ("slurm_gpus_idle", "Idle GPUs"),
    ("slurm_scheduler_threads", "Number of scheduler threads"),
    ("slurm_scheduler_queue_size", "Length of the scheduler queue"),
    ("slurm_scheduler_last_cycle", "Scheduler last cycle time in microseconds"),
    ("slurm_scheduler_mean_cycle", "Scheduler mean cycle time in microseconds"),
)
_UTILISATION, _SHARE = "slurm_gpus_utilization", 0.0001
_BY_ACCOUNT = "slurm_account_jobs_running"
METRICS = (
    *(Metric(name, "gauge", about, EXPORTER, EVERY, 1.0) for name, about in _GAUGES),
    Metric(_UTILISATION, "gauge", "Total GPU utilization", EXPORTER, EVERY, _SHARE),
    Metric(_BY_ACCOUNT, "gauge", "Running jobs for account", EXPORTER, EVERY, 1.0),
)


def slurm_blocks(stage: Stage) -> Iterator[Block]:
    host = stage.plant.controller
    here = (("instance", f"{host}:{PORT}"),)
    for name, values in _values(stage).items():
        yield _block(name, host, (here,), values[None, :])
    accounts = sorted({job.account for job in stage.jobs})
    rows = [
        _counted(stage, [job for job in stage.jobs if job.account == account], _ran)
        for account in accounts
    ]
    named = tuple((*here, ("account", account)) for account in accounts)
    yield _block(_BY_ACCOUNT, host, named, np.array(rows))


def _block(name: str, host: str, labels: tuple[Labels, ...], values: Array) -> Block:
    return Block(name, host, labels, np.rint(values).astype(np.int64))


def _values(stage: Stage) -> dict[str, Array]:
    """In quanta."""
    used = _used(stage)
    size = stage.plant.gpus_per_node
    whole = np.full(used.shape[1], float(len(stage.plant.nodes) * size))
    nothing = np.zeros_like(whole)
    draw = Stream(stage.seed, "sdiag")
    last = int(draw.between(700, 1_500))
    shake = stage.noise.bell("scheduler", 1, len(whole))[0]
    cycles = np.maximum(last * (1 + 0.2 * shake), 300.0)
    # Since the daemon began, which was long before: it has all but settled.
    before = 2_000
    mean = (last * before + np.cumsum(cycles)) / (before + np.arange(1, len(cycles) + 1))
    return {
        "slurm_queue_running": _counted(stage, stage.jobs, _ran),
        "slurm_queue_pending": _counted(stage, stage.jobs, _waited),
        "slurm_nodes_alloc": (used == size).sum(axis=0).astype(float),
        "slurm_nodes_mix": ((used > 0) & (used < size)).sum(axis=0).astype(float),
        "slurm_nodes_idle": (used == 0).sum(axis=0).astype(float),
        "slurm_nodes_drain": nothing,
        "slurm_nodes_down": nothing,
        "slurm_gpus_alloc": used.sum(axis=0),
        "slurm_gpus_idle": whole - used.sum(axis=0),
        _UTILISATION: used.sum(axis=0) / whole / _SHARE,
        "slurm_scheduler_threads": nothing + 3,
        "slurm_scheduler_queue_size": nothing,
        "slurm_scheduler_last_cycle": cycles,
        "slurm_scheduler_mean_cycle": mean,
    }


def _used(stage: Stage) -> Array:
    """GPUs that jobs have on each node (rows) at each scrape."""
    changes = np.zeros((len(stage.plant.nodes), len(stage.times(EVERY)) + 1))
    rows = {node.name: row for row, node in enumerate(stage.plant.nodes)}
    for job in stage.jobs:
        first, last = stage.span(*_ran(stage, job), EVERY)
        for node, indices in job.gpus if last > first else ():
            changes[rows[node], first] += len(indices)
            changes[rows[node], last] -= len(indices)
    found: Array = np.cumsum(changes, axis=1)[:, :-1]
    return found


Spell = Callable[[Stage, Job], tuple[int, int]]


def _ran(stage: Stage, job: Job) -> tuple[int, int]:
    """From when until when it ran; nothing for a job that never did."""
    if job.start_ms is None:
        return 0, 0
    return job.start_ms, stage.calendar.window_end if job.end_ms is None else job.end_ms


def _waited(stage: Stage, job: Job) -> tuple[int, int]:
    return job.submit_ms, stage.calendar.window_end if job.start_ms is None else job.start_ms


def _counted(stage: Stage, jobs: Iterable[Job], spell: Spell) -> Array:
    """How many jobs are in such a spell at each scrape."""
    changes = np.zeros(len(stage.times(EVERY)) + 1)
    for job in jobs:
        first, last = stage.span(*spell(stage, job), EVERY)
        if last > first:
            changes[first] += 1
            changes[last] -= 1
    found: Array = np.cumsum(changes)[:-1]
    return found
