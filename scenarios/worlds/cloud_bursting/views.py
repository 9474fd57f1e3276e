"""What a broker sees of jobs, clouds and runs: plain rows, built only when asked for."""

from __future__ import annotations

from scenarios.simulator.agenda import DAY
from scenarios.worlds.cloud_bursting.clocks import written
from scenarios.worlds.cloud_bursting.rules import Estimate, Ledger
from scenarios.worlds.cloud_bursting.shape import (
    KEPT_IN_LISTS,
    PRIMARY,
    PRIMARY_BRANCH,
)
from scenarios.worlds.cloud_bursting.tables import COMPLETED, FAILED, PREEMPTED, Run, RunState
from scenarios.worlds.cloud_bursting.workload import KINDS, LOW, PRIORITIES
from scenarios.worlds.cloud_bursting.world import BurstWorld

SLURM = {
    "completed": "COMPLETED", "node_fail": "NODE_FAIL", "failed": "FAILED", "cancelled": "CANCELLED",
}  # fmt: skip
WINDING_DOWN = 4 * 60_000
"""How long an ended instance is shown as terminating, in ms."""


def job_rows(world: BurstWorld) -> list[list[object]]:
    """Every job whose published state is not final, in the field order of the SDK's Job."""
    jobs, now = world.jobs, world.now // 1000
    rows: list[list[object]] = []
    for job in range(jobs.seen):
        if jobs.published[job] == "completed":
            continue
        spec, state = jobs.spec[job], jobs.published[job]
        kind, submitted = KINDS[spec.priority], spec.submit // 1000
        since = jobs.published_since[job] // 1000
        rows.append(
            [
                job, PRIORITIES[spec.priority], spec.gpus, state, submitted, now - submitted,
                since if state == "running" else -1, spec.limit // 1000,
                spec.priority == LOW and not spec.protected, spec.every // 1000, spec.protected, [],
                f"{kind}-{job:04d}", spec.team, f"{spec.team}{job % 7 + 1}", "submit", kind, -1, "",
                "", "", False, spec.data_gb, spec.residency, spec.driver,
            ]
        )  # fmt: skip
    return rows


def cloud_rows(world: BurstWorld) -> list[list[object]]:
    """The primary and every remote cloud, in the field order of the SDK's Cloud."""
    config, market, now = world.config, world.market, world.now
    at = market.priced_at(now)
    busy = sum(run.gpus for run in world.running.values())
    up = world.queue.nodes.capacity
    rows: list[list[object]] = [
        [
            PRIMARY, "us-east", round(market.price(-1, at), 4), "gpu_hour", at // 1000, up, busy,
            len(world.queue.waiting), config.most_pending, config.egress_primary, PRIMARY_BRANCH, now // 1000,
        ]
    ]  # fmt: skip
    for number, shape in enumerate(config.remotes):
        price = market.price(number, at)
        if shape.unit == "node_hour":
            price *= config.gpus_per_node
        room = 0 if market.out(number, now) else market.room(number, now)
        starting = sum(
            run.cloud == number and run.state == RunState.STARTING for run in world.remote.values()
        )
        rows.append(
            [
                shape.name, shape.region, round(price, 4), shape.unit, at // 1000, room,
                world.used(number), starting, config.quotas[number], config.egress(number), shape.driver_branch,
                written(shape.clock, now),
            ]
        )  # fmt: skip
    return rows


def budget_rows(world: BurstWorld, ledger: Ledger) -> list[list[object]]:
    """The day's cap, then a budget for each team where there are any: name, limit, booked, spent."""
    config = world.config
    today = ledger.by_day.get(world.now // DAY, 0.0)
    spent = world.compute_usd + world.transfer_usd
    rows: list[list[object]] = [["day", config.daily_cap, round(today, 2), round(spent, 2)]]
    if config.team_budget:
        for team in sorted({spec.team for spec in world.jobs.spec}):
            cost = sum(r.cost for r in world.runs if world.jobs.spec[r.job].team == team)
            booked = round(ledger.by_team.get(team, 0.0), 2)
            rows.append([team, config.team_budget, booked, round(cost, 2)])
    return rows


def quote_row(cloud: str, job: int, made: Estimate) -> list[object]:
    """A quote in the field order of the SDK's Quote."""
    return [
        cloud, job, made.usd, round(made.compute, 2), round(made.transfer, 2), round(made.hours, 3),
        made.expires // 1000,
    ]  # fmt: skip


def run_rows(world: BurstWorld, cloud: int) -> list[list[object]]:
    """A cloud's own list of our runs, in its words and by its clock: id, key, state, gpus, changed, rate."""
    clock = "s" if cloud < 0 else world.config.remotes[cloud].clock
    rows: list[list[object]] = []
    for run in world.runs:
        gone = run.ended >= 0 and run.ended < world.now - KEPT_IN_LISTS
        if run.cloud != cloud or gone:
            continue
        state = _slurm(run) if cloud < 0 else _word(world, run)
        changed = written(clock, run.changed)
        code = 0 if run.end == COMPLETED or run.state == RunState.EXITED else -1
        rows.append([run.name, run.key, state, run.gpus, changed, code, round(run.cost, 2)])
    return rows


def _slurm(run: Run) -> str:
    if run.state == RunState.ENDED:
        return SLURM[run.end]
    return "RUNNING" if run.state == RunState.RUNNING else "PENDING"


def _word(world: BurstWorld, run: Run) -> str:
    """The state in the words of the run's remote cloud."""
    states = world.config.remotes[run.cloud].states
    if run.state != RunState.ENDED:
        return states[run.state - RunState.STARTING]
    if run.end == PREEMPTED:
        return states[5]
    if run.end == FAILED:
        return states[6]
    return states[3] if world.now - run.ended < WINDING_DOWN else states[4]
