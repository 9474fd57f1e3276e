"""From a finished period to plain figures; knows no anchor and no score."""

from __future__ import annotations

from typing import Any

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.cloud_bursting.broker import Broker
from scenarios.worlds.cloud_bursting.shape import ACT_WITHIN, LOG_EVERY
from scenarios.worlds.cloud_bursting.tables import CANCELLED, COMPLETED, FORCED, Run, RunState
from scenarios.worlds.cloud_bursting.watch import Watch
from scenarios.worlds.cloud_bursting.workload import HIGH
from scenarios.worlds.cloud_bursting.world import BurstWorld
from scenarios.worlds.front import Incident

SETTLED = 12 * HOUR
"""Work that came in the last twelve hours may still be open at the end."""


def waits(world: BurstWorld, priority: int) -> list[float]:
    """Minutes in which no run served each job of the priority, sorted, open waits included."""
    jobs = world.jobs
    return sorted(
        jobs.total_wait(job, world.now) / MINUTE
        for job in range(jobs.seen)
        if jobs.spec[job].priority == priority
    )


def worked(run: Run, now: int) -> int:
    """Time in ms in which the run did its job's work."""
    if run.works_from < 0:
        return 0
    return max(0, (run.over if run.over >= 0 else now) - run.works_from)


def credited(world: BurstWorld, job: int) -> int:
    """Work in ms that the job has to show for its runs; bursts against a rule have nothing to show."""
    runs = [run for run in world.jobs.runs[job] if not run.illegal]
    if any(run.state == RunState.EXITED or run.end == COMPLETED for run in runs):
        return world.jobs.spec[job].work
    live = (run.kept + worked(run, world.now) for run in runs if run.live)
    return max((*live, *(run.saved for run in runs)), default=0)


def lost(world: BurstWorld) -> float:
    """GPU-hours of work done twice, thrown away or done against a rule."""
    total = 0
    for job in range(world.jobs.seen):
        done = sum(worked(run, world.now) for run in world.jobs.runs[job])
        total += (done - credited(world, job)) * world.jobs.spec[job].gpus
    return total / HOUR


def hung(world: BurstWorld) -> float:
    """GPU-hours charged for instances whose work was over."""
    total = 0
    for run in world.runs:
        if run.hangs and run.over >= 0 and run.cloud >= 0:
            total += (run.billed_to - run.over) * run.charged_gpus
    return total / HOUR


def left_over(world: BurstWorld) -> float:
    """GPU-hours of work not done that came more than twelve hours before the end."""
    return sum(
        (spec.work - credited(world, job)) * spec.gpus / HOUR
        for job, spec in enumerate(world.jobs.spec[: world.jobs.seen])
        if spec.submit < world.now - SETTLED
    )


def log_lines(world: BurstWorld) -> tuple[int, int]:
    """(collected, written) log lines. Old jobs that were never finished owe the lines of their work."""
    collected = written = 0
    for job in range(world.jobs.seen):
        spec, lines = world.jobs.spec[job], 0
        for run in world.jobs.runs[job]:
            lines += run.lines(world.now)
            collected += run.read.bit_count()
        if world.jobs.done_at[job] < 0 and spec.submit < world.now - SETTLED:
            lines = max(lines, spec.work // LOG_EVERY + 2)
        written += lines
    return collected, written


def incidents(world: BurstWorld) -> list[Incident]:
    """What a broker has to answer, in time order, where the time to act was up.

    Urgent jobs that come in, interruptions, hung instances and double runs.
    """
    found = _urgent(world)
    for run in world.runs:
        found += _interruption(world, run)
        found += _hang(world, run)
        found += _double(world, run)
    return sorted(found, key=lambda incident: (incident.at, incident.kind, incident.subject))


def _urgent(world: BurstWorld) -> list[Incident]:
    """High-priority jobs, each to be placed within half an hour of its submission, to stay."""
    found = []
    for job, spec in enumerate(world.jobs.spec[: world.jobs.seen]):
        if spec.priority == HIGH and spec.submit <= world.now - ACT_WITHIN:
            due = spec.submit + ACT_WITHIN
            handled = any(r.asked <= due and _stays(r) for r in world.jobs.runs[job])
            found.append(Incident(spec.submit // 1000, "urgent job", f"job {job}", handled))
    return found


def _stays(run: Run) -> bool:
    """Whether the run was an answer: by the rules, and not called back."""
    return not run.illegal and run.end != CANCELLED


def _interruption(world: BurstWorld, run: Run) -> list[Incident]:
    """A run that ended by force while nothing else worked for its job; answered by another run."""
    due = run.ended + ACT_WITHIN
    if run.end not in FORCED or run.illegal or due > world.now:
        return []
    others = [r for r in world.jobs.runs[run.job] if r is not run and not r.illegal]
    if any(r.asked <= run.ended and (r.ended < 0 or r.ended > run.ended) for r in others):
        return []
    again = [r for r in others if run.ended <= r.asked <= due]
    handled = any(r.end != CANCELLED or r.ended > due for r in again)
    kind = "node failure" if run.cloud < 0 else "burst interrupted"
    return [Incident(run.ended // 1000, kind, f"job {run.job}", handled)]


def _hang(world: BurstWorld, run: Run) -> list[Incident]:
    if not run.hangs or run.illegal or run.over < 0 or run.over > world.now - ACT_WITHIN:
        return []
    if run.state == RunState.ENDED and run.ended <= run.over:
        return []
    handled = 0 <= run.ended <= run.over + ACT_WITHIN
    return [Incident(run.over // 1000, "hung instance", run.name, handled)]


def _double(world: BurstWorld, run: Run) -> list[Incident]:
    """A run asked for while another one lived: one of the two should end soon."""
    earlier = [
        r
        for r in world.jobs.runs[run.job]
        if r.number < run.number and (r.ended < 0 or r.ended > run.asked)
    ]
    if not earlier or run.asked > world.now - ACT_WITHIN:
        return []
    ends = [r.ended for r in (*earlier, run) if r.ended >= 0]
    handled = bool(ends) and min(ends) <= run.asked + ACT_WITHIN
    return [Incident(run.asked // 1000, "job in two places", f"job {run.job}", handled)]


def _right(world: BurstWorld) -> int:
    """Jobs that were burst by the rules, and not only to be called back."""
    return len({run.job for run in world.runs if run.right and run.end != CANCELLED})


def figures(
    world: BurstWorld, broker: Broker, watch: Watch, lost_writes: list[Incident]
) -> dict[str, Any]:
    """Every raw figure of the period, as plain data in the units named by its key."""
    ledger, jobs = broker.ledger, world.jobs
    collected, written = log_lines(world)
    rest = left_over(world)
    return {
        "waits_min": [waits(world, priority) for priority in range(3)],
        "compute_usd": world.compute_usd,
        "transfer_usd": world.transfer_usd,
        "overflow_usd": rest * world.config.overflow_gpu_hour,
        "left_over_gpu_h": rest,
        "lost_gpu_h": lost(world),
        "hung_gpu_h": hung(world),
        "idle_gpu_h": watch.idle_gpu_ms / HOUR,
        "bursts": sum(run.cloud >= 0 for run in world.runs),
        "right_bursts": _right(world),
        "missed_bursts": len(watch.missed),
        "broken_rules": [[at // 1000, rule, subject] for at, rule, subject in ledger.broken],
        "state_checks": watch.state_ticks,
        "true_states": watch.true_ticks,
        "log_lines": written,
        "log_lines_collected": collected,
        "incidents": [
            [i.at, i.kind, i.subject, i.handled] for i in (*incidents(world), *lost_writes)
        ],
        "jobs": jobs.seen,
        "jobs_done": sum(done >= 0 for done in jobs.done_at),
    }
