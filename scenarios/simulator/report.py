"""Wide figures of a run in a world: one row for each job, a summary, the log and the series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scenarios.simulator.outputs import SLOWDOWN_FLOOR_S, finished, wait

if TYPE_CHECKING:
    from scenarios.simulator.world.world import World

HOUR_S = 3_600
HEADER = (
    "job_id,user,submit,start,end,procs,run_time,wait,turnaround,bounded_slowdown,"
    "preemptions,interruptions,lost,recovering"
)
"""Times in the trace's unit; the last two as in Progress."""


def bounded_slowdown(world: World, job: int) -> float:
    """(wait + run time) / run time, jobs under ten seconds counted as ten; at least 1."""
    simulation = world.simulation
    run = simulation.run_time[job]
    return max(1.0, (wait(simulation, job) + run) / max(run, SLOWDOWN_FLOOR_S * world.tick))


def job_rows(world: World) -> Iterable[str]:
    """CSV lines of the finished jobs, by job id."""
    simulation, progress = world.simulation, world.progress
    workload = simulation.workload
    for job in sorted(finished(simulation), key=workload.job_id.__getitem__):
        end, submit = simulation.last_end[job], simulation.submit[job]
        yield (
            f"{workload.job_id[job]},{_quoted(workload.user[job])},{submit},"
            f"{simulation.first_start[job]},{end},{simulation.procs[job]},{workload.run[job]},"
            f"{wait(simulation, job)},{end - submit},{bounded_slowdown(world, job):.4f},"
            f"{simulation.preemptions[job]},{progress.interruptions[job]},"
            f"{progress.lost[job]},{progress.recovering[job]}"
        )


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def summary(world: World) -> dict[str, int | float]:
    """Figures over finished jobs (times in the trace's unit) and over the world.

    `utilisation` is GPU-time given to jobs over GPU-time in service, `goodput` the part of
    the latter that was finished jobs' work; `fragmentation` the part of free GPU-time
    that the largest job startable at each instant would have left over; `fairness` Jain's
    index over tenants of run time / turnaround; cost in USD, energy in kWh.
    """
    record, simulation = world.record, world.simulation
    done = finished(simulation)
    gpu_hour = HOUR_S * world.tick
    work = sum(simulation.run_time[job] * simulation.procs[job] for job in done)
    energy = energy_kwh(world)
    nodes_usd = world.spent()
    energy_usd = energy * world.setting.power.price
    return {
        "jobs": len(simulation.workload),
        "finished": len(done),
        "refused": sum(not world.machine.could_hold(size) for size in simulation.procs),
        "unfinished": len(world.unfinished()),
        **job_figures(world, done),
        "utilisation": _share(record.busy, record.room),
        "goodput": _share(work, record.room),
        "fragmentation": _share(record.stuck, record.free),
        "fairness": fairness(world, done),
        "gpu_hours": record.busy / gpu_hour,
        "node_hours": sum(record.node_time) / gpu_hour,
        "nodes_usd": nodes_usd,
        "energy_kwh": energy,
        "energy_usd": energy_usd,
        "cost_usd": nodes_usd + energy_usd,
        **loss_figures(world),
        "preemptions": sum(simulation.preemptions),
    }


def job_figures(world: World, done: Sequence[int]) -> dict[str, int | float]:
    """Wait, slowdown and turnaround of finished jobs; a mean of nothing is 0."""
    simulation = world.simulation
    waits = sorted(wait(simulation, job) for job in done)
    turnaround = sum(simulation.last_end[job] - simulation.submit[job] for job in done)
    slowdowns = sum(bounded_slowdown(world, job) for job in done)
    first = min(simulation.submit, default=0)
    return {
        "mean_wait": _share(sum(waits), len(done)),
        "median_wait": quantile(waits, 50),
        "p95_wait": quantile(waits, 95),
        "mean_bounded_slowdown": _share(slowdowns, len(done)),
        "mean_turnaround": _share(turnaround, len(done)),
        "makespan": max(simulation.last_end) - first if done else 0,
    }


def loss_figures(world: World) -> dict[str, int | float]:
    """What interruptions took, in GPU-hours, and how often."""
    progress, procs = world.progress, world.simulation.procs
    gpu_hour = HOUR_S * world.tick

    def hours(times: Sequence[int]) -> float:
        return sum(time * size for time, size in zip(times, procs, strict=True)) / gpu_hour

    return {
        "lost_gpu_hours": hours(progress.lost),
        "recovery_gpu_hours": hours(progress.recovering),
        "checkpoint_gpu_hours": hours(progress.overhead),
        "interruptions": sum(progress.interruptions),
    }


def quantile(ascending: Sequence[int], percent: int) -> int:
    """The smallest value that at least `percent` of a hundred do not exceed; 0 of nothing."""
    return ascending[-(-len(ascending) * percent // 100) - 1] if ascending else 0


def fairness(world: World, done: Sequence[int]) -> float:
    """Jain's index, 1/n to 1, over tenants of their run time as a share of their turnaround."""
    simulation = world.simulation
    users = simulation.workload.user
    run, stay = dict[str, int](), dict[str, int]()
    for job in done:
        user = users[job]
        run[user] = run.get(user, 0) + simulation.run_time[job]
        lasted = simulation.last_end[job] - simulation.submit[job]
        stay[user] = stay.get(user, 0) + lasted
    shares = [run[user] / stay[user] for user in run if stay[user]]
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def energy_kwh(world: World) -> float:
    """Nodes that are on draw a base, each busy GPU adds to it; both times the PUE."""
    power, record = world.setting.power, world.record
    watt_time = power.node_w * record.up_time + power.gpu_w * record.busy
    return power.pue * watt_time / (HOUR_S * world.tick) / 1_000


def total(parts: Iterable[Mapping[str, int | float]], moved_usd: float = 0.0) -> dict[str, float]:
    """Sums over several clusters of what can be summed, data movement included in the cost."""
    keys = (
        *("jobs", "finished", "refused", "unfinished", "gpu_hours", "node_hours", "nodes_usd"),
        *("energy_kwh", "energy_usd", "cost_usd", "lost_gpu_hours"),
    )
    rows = list(parts)
    sums: dict[str, float] = {key: sum(row[key] for row in rows) for key in keys}
    sums["moved_usd"] = moved_usd
    sums["cost_usd"] += moved_usd
    return sums


def write_jobs(world: World, path: Path) -> None:
    """The per-job CSV; OSError as the system gives it."""
    _write(path, HEADER, job_rows(world))


def write_log(world: World, path: Path) -> None:
    """The event log as CSV: time,event,subject."""
    rows = (f"{time},{kind},{_quoted(subject)}" for time, kind, subject in world.record.log)
    _write(path, "time,event,subject", rows)


def write_series(world: World, path: Path) -> None:
    """The time series as CSV, one column for each of COLUMNS."""
    series = world.record.series
    rows = (",".join(map(str, row)) for row in zip(*series.values(), strict=True))
    _write(path, ",".join(series), rows)


def write_all(world: World, folder: Path) -> None:
    """jobs.csv, events.csv and series.csv in a folder, made if need be; OSError as it comes."""
    folder.mkdir(parents=True, exist_ok=True)
    write_jobs(world, folder / "jobs.csv")
    write_log(world, folder / "events.csv")
    write_series(world, folder / "series.csv")


def _write(path: Path, header: str, rows: Iterable[str]) -> None:
    path.write_bytes(("\n".join((header, *rows)) + "\n").encode())


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
