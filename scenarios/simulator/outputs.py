"""What a run leaves: one row for each job, and figures over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scenarios.simulator.engine import Simulation, State

HEADER = "job_id,submit,start,end,procs,preemptions"
SLOWDOWN_FLOOR_S = 10
"""Bounded slowdown counts a shorter job as this long (Feitelson and others), in seconds."""


def wait(simulation: Simulation, job: int) -> int:
    """Time a finished job spent off the machine between submission and end."""
    on_machine = simulation.served[job] + simulation.last_end[job] - simulation.began[job]
    return simulation.last_end[job] - simulation.submit[job] - on_machine


def finished(simulation: Simulation) -> list[int]:
    """The jobs that ran to their end, in the trace's order."""
    return [job for job, state in enumerate(simulation.state) if state == State.DONE]


def rows(simulation: Simulation) -> Iterable[str]:
    """CSV lines by job id: first start and final end, -1 where that never happened."""
    workload = simulation.workload
    for job in sorted(range(len(workload)), key=workload.job_id.__getitem__):
        yield (
            f"{workload.job_id[job]},{workload.submit[job]},{simulation.first_start[job]},"
            f"{simulation.last_end[job]},{workload.procs[job]},{simulation.preemptions[job]}"
        )


def write_rows(simulation: Simulation, path: Path) -> None:
    """The per-job file, written whole; OSError as the system gives it."""
    text = "\n".join((HEADER, *rows(simulation))) + "\n"
    path.write_bytes(text.encode())


def summary(simulation: Simulation, ticks_per_second: int) -> dict[str, int | float]:
    """Figures over the finished jobs, times in the trace's unit.

    Makespan runs from the first submission to the last end. Utilisation is the work of the
    jobs (run time x processors) over capacity x makespan, 0..1. A mean of nothing is 0.
    """
    done = finished(simulation)
    count = len(done)
    waits = [wait(simulation, job) for job in done]
    submits, run = simulation.submit, simulation.run_time
    makespan = max(simulation.last_end) - min(submits) if done else 0
    room = simulation.machine.capacity * makespan
    work = sum(run[job] * simulation.procs[job] for job in done)
    floor = SLOWDOWN_FLOOR_S * ticks_per_second
    slowdowns = [
        max(1.0, (w + run[j]) / max(run[j], floor)) for j, w in zip(done, waits, strict=True)
    ]
    turnaround = sum(simulation.last_end[job] - submits[job] for job in done)
    return {
        "jobs": len(simulation.workload),
        "finished": count,
        "refused": simulation.state.count(State.REFUSED),
        "mean_wait": sum(waits) / count if count else 0.0,
        "mean_bounded_slowdown": sum(slowdowns) / count if count else 0.0,
        "mean_turnaround": turnaround / count if count else 0.0,
        "makespan": makespan,
        "utilisation": work / room if room else 0.0,
        "preemptions": sum(simulation.preemptions),
    }
