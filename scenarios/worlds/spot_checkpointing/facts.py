"""From a finished workload to plain figures; knows no anchor and no score."""

from __future__ import annotations

from typing import Any

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.spot_checkpointing.controls import PROVE_WITHIN
from scenarios.worlds.spot_checkpointing.tables import DONE, Node, Training
from scenarios.worlds.spot_checkpointing.world import SpotWorld

REPLACE_WITHIN = 15 * MINUTE
SLOW_WITHIN = 45 * MINUTE
"""Monitoring shows a throttled node at the next scrape; two readings and a save take half of this."""


def gpu_ms(world: SpotWorld, run: Training, steps: int) -> int:
    """GPU time of so many steps on the run's usual gang."""
    return steps * run.config.step_ms * run.config.nodes * world.config.gpus_per_node


def missing_gpu_h(world: SpotWorld) -> float:
    """GPU-hours of the steps that are not there in the end."""
    missing = [gpu_ms(world, run, run.config.steps - world.valid(run)) for run in world.trainings]
    return sum(missing) / HOUR


def finish_ms(world: SpotWorld, run: Training) -> int:
    """When the run's last step was done; what is missing at the end follows at its usual pace."""
    if run.state == DONE and world.valid(run) == run.config.steps:
        return run.finished_at
    return world.config.length + (run.config.steps - world.valid(run)) * run.config.step_ms


def hours_late(world: SpotWorld, run: Training) -> float:
    """Hours from its deadline until the run is finished."""
    return max(0, finish_ms(world, run) - run.config.deadline) / HOUR


def lost_gpu_h(world: SpotWorld) -> float:
    """GPU-hours of steps that were repeated, or done and not there in the end."""
    total = 0
    for run in world.trainings:
        total += run.lost_gpu_ms
        total += gpu_ms(world, run, max(0, run.pace.at(world.now) - world.valid(run)))
    return total / HOUR


def phase_gpu_h(world: SpotWorld) -> dict[str, float]:
    """GPU-hours that nodes spent in each phase; they add up to the lives of all nodes."""
    spent = dict(world.record.phase_ms)
    for node in (world.machines.nodes[n] for n in world.machines.alive):
        spent[node.phase] = spent.get(node.phase, 0) + world.now - node.phase_since
    per_node = world.config.gpus_per_node
    return {phase: ms * per_node / HOUR for phase, ms in sorted(spent.items()) if phase != "gone"}


def resume_minutes(world: SpotWorld) -> list[float]:
    """Minutes without training, from the beginning and from each interruption to the next step.

    A stop of one's own choice counts only where no step followed it: one that is over soon would
    otherwise hide a slow return from a reclaim.
    """
    found = [r.down_ms / MINUTE for run in world.trainings for r in run.resumes if r.forced]
    for run in world.trainings:
        if run.state != DONE and not run.trains:
            found.append((world.now - run.stopped_at) / MINUTE)
    return sorted(found)


def proofs(world: SpotWorld) -> tuple[int, int]:
    """(resumes proven truly and in time, resumes whose time for proof was up)."""
    due = [
        resume
        for run in world.trainings
        for resume in run.resumes
        if resume.checkpoint and resume.at <= world.now - PROVE_WITHIN
    ]
    return sum(resume.proven is True for resume in due), len(due)


def wrong_resumes(world: SpotWorld) -> list[list[object]]:
    """[s, what was wrong] for every launch that could not end well."""
    found = [[at // 1000, f"{name} could not be loaded"] for at, name in world.record.failed_loads]
    for run in world.trainings:
        found += [[r.at // 1000, r.wrong] for r in run.resumes if r.wrong]
    return sorted(found, key=lambda row: (row[0], row[1]))


def incidents(world: SpotWorld) -> list[list[object]]:
    """[s, kind, subject, handled] of every trouble whose time to be answered was up."""
    found: list[list[object]] = [
        [notice.at // 1000, "spot notice", notice.node, notice.handled]
        for notice in world.record.notices
        if notice.handled is not None
    ]
    for node in world.machines.nodes:
        found += _answered(world, node, "node down", node.down_at, REPLACE_WITHIN)
        found += _answered(world, node, "node never joined", node.timeout_at, REPLACE_WITHIN)
        if node.used_slow:
            found += _answered(world, node, "slow node", node.slow_at, SLOW_WITHIN)
    return sorted(found, key=lambda row: (row[0], row[2]))


def _answered(world: SpotWorld, node: Node, kind: str, at: int, within: int) -> list[list[object]]:
    """A node that should have been given back within so many ms of `at`."""
    if at < 0 or at > world.now - within:
        return []
    return [[at // 1000, kind, node.name, 0 <= node.gone_at <= at + within]]


def money(world: SpotWorld) -> dict[str, float]:
    """USD spent, still to be spent elsewhere, to be paid for being late, and on demand."""
    late = [run.config.penalty * hours_late(world, run) for run in world.trainings]
    return {
        "spend_usd": world.spend(),
        "transfer_usd": world.record.transfer_usd,
        "left_over_usd": missing_gpu_h(world) * world.config.overflow_price,
        "penalty_usd": sum(late),
        "ondemand_usd": world.config.ondemand_cost,
        "goal_usd": world.config.goal_cost,
    }


def resumes(world: SpotWorld) -> dict[str, Any]:
    """How runs came back: how long it took, from what, and whether it was proven."""
    proven, due = proofs(world)
    return {
        "resume_min": resume_minutes(world),
        "right_resumes": sum(
            r.forced and not r.wrong for run in world.trainings for r in run.resumes
        ),
        "wrong_resumes": wrong_resumes(world),
        "proofs_true": proven,
        "proofs_due": due,
    }


def figures(world: SpotWorld, lost_writes: list[list[object]]) -> dict[str, Any]:
    """Every raw figure of the workload, as plain data in the units named by its key."""
    runs, record = world.trainings, world.record
    happened = [*incidents(world), *lost_writes]
    return {
        "on_time_pct": [round(world.on_time_pct(run), 4) for run in runs],
        "finished": sum(world.valid(run) == run.config.steps for run in runs),
        "trainings": len(runs),
        "finish_h": [finish_ms(world, run) / HOUR for run in runs],
        "hours_late": [hours_late(world, run) for run in runs],
        **money(world),
        "lost_gpu_h": lost_gpu_h(world),
        "missing_gpu_h": missing_gpu_h(world),
        "useful_gpu_h": sum(gpu_ms(world, run, world.valid(run)) for run in runs) / HOUR,
        "phase_gpu_h": phase_gpu_h(world),
        **resumes(world),
        "over_quota_gb_h": record.over_quota_gb_ms / HOUR,
        "store_out_of_order_h": record.store_ms / HOUR,
        "saves": sum(run.saves for run in runs),
        "skipped_saves": sum(run.skipped_saves for run in runs),
        "nodes_started": record.nodes_started,
        "incidents": sorted(happened, key=lambda row: (str(row[1]), row[0], str(row[2]))),
        "broken_rules": [[at // 1000, name] for at, name in record.broken_rules],
    }
