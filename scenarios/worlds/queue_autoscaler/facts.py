"""From a finished episode to plain figures; knows no anchor and no score."""

from __future__ import annotations

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.front import Incident
from scenarios.worlds.queue_autoscaler.controls import Controls
from scenarios.worlds.queue_autoscaler.tables import JobState
from scenarios.worlds.queue_autoscaler.world import ElasticWorld

REPLACE_WITHIN = 10 * MINUTE
NOTICE_SLOW_WITHIN = 15 * MINUTE
SETTLED = HOUR
"""Work that arrived in the last hour is not held against the controller."""


def waits(world: ElasticWorld, priority: int) -> list[float]:
    """Minutes each job of the priority spent waiting in all, jobs still waiting included."""
    jobs = world.jobs
    return sorted(
        jobs.total_wait(job, world.now) / MINUTE
        for job, spec in enumerate(jobs.spec)
        if spec.priority == priority and jobs.state[job] != JobState.UNSEEN
    )


def undone(world: ElasticWorld) -> float:
    """GPU-hours of work that arrived more than an hour before the end and were not done."""
    jobs = world.jobs
    total = 0.0
    for job, spec in enumerate(jobs.spec):
        waiting = jobs.state[job] in (JobState.PENDING, JobState.HELD)
        if waiting and spec.submit < world.now - SETTLED:
            total += (spec.work - jobs.done[job]) * spec.gpus / HOUR
    return total


def left_over(world: ElasticWorld) -> float:
    """GPU-hours of submitted work not done at the end, running jobs included."""
    jobs = world.jobs
    return sum(
        (spec.work - jobs.work_done(job, world.now)) * spec.gpus / HOUR
        for job, spec in enumerate(jobs.spec)
        if jobs.state[job] not in (JobState.UNSEEN, JobState.DONE)
    )


def lost(world: ElasticWorld) -> float:
    """GPU-hours of work thrown away because a job stopped without a fresh checkpoint."""
    jobs = world.jobs
    return sum(jobs.lost[job] * spec.gpus for job, spec in enumerate(jobs.spec)) / HOUR


def incidents(world: ElasticWorld) -> list[Incident]:
    """Spot notices, dead nodes and slow nodes, in time order, where the time to act was up."""
    found = [*_spot_incidents(world), *_down_incidents(world), *_slow_incidents(world)]
    return sorted(found, key=lambda incident: (incident.at, incident.subject))


def _spot_incidents(world: ElasticWorld) -> list[Incident]:
    noticed = {h.subject for h in world.record.happenings if h.kind == "spot_notice" and h.savable}
    taken = {h.subject: h for h in world.record.happenings if h.kind == "reclaimed"}
    found = []
    for name in sorted(noticed):
        node = world.nodes.name.index(name)
        at = world.nodes.notice_at[node]
        if name in taken:
            found.append(Incident(at // 1000, "spot notice", name, not taken[name].savable))
        elif world.nodes.gone_at[node] >= 0:
            found.append(Incident(at // 1000, "spot notice", name, True))
    return found


def _down_incidents(world: ElasticWorld) -> list[Incident]:
    nodes = world.nodes
    return [
        _in_time(world, node, "node down", nodes.down_at[node], nodes.gone_at[node], REPLACE_WITHIN)
        for node in range(len(nodes))
        if 0 <= nodes.down_at[node] <= world.now - REPLACE_WITHIN
    ]


def _slow_incidents(world: ElasticWorld) -> list[Incident]:
    nodes = world.nodes
    found = []
    for node in range(len(nodes)):
        at, fenced = nodes.slow_at[node], nodes.fenced_at[node]
        if 0 <= at <= world.now - NOTICE_SLOW_WITHIN and _was_used(world, node):
            found.append(_in_time(world, node, "slow node", at, fenced, NOTICE_SLOW_WITHIN))
    return found


def _was_used(world: ElasticWorld, node: int) -> bool:
    """Whether the slow node stayed in the cluster long enough for its readings to show it."""
    gone = world.nodes.gone_at[node]
    return gone < 0 or gone - world.nodes.slow_at[node] > NOTICE_SLOW_WITHIN


def _in_time(
    world: ElasticWorld, node: int, kind: str, at: int, answered: int, within: int
) -> Incident:
    handled = 0 <= answered <= at + within
    return Incident(at // 1000, kind, world.nodes.name[node], handled)


def figures(world: ElasticWorld, controls: Controls, timeouts: list[Incident]) -> dict[str, object]:
    """Every raw figure of the episode, as plain data in the units named by its key."""
    happened = [*incidents(world), *timeouts]
    rest = left_over(world)
    spend = world.record.spend(world.now)
    done = sum(state == JobState.DONE for state in world.jobs.state)
    return {
        "waits_min": [waits(world, priority) for priority in range(3)],
        "spend_usd": spend,
        "overflow_usd": rest * world.config.overflow_price,
        "left_over_gpu_h": rest,
        "undone_gpu_h": undone(world),
        "lost_gpu_h": lost(world),
        "short_lived_nodes": controls.short_lived,
        "missed_half_hours": len(world.record.missed_half_hours),
        "idle_half_hours": len(world.record.idle_half_hours),
        "misfit_gpu_h": world.record.misfit_gpu_ms / HOUR,
        "nodes_started": controls.launches,
        "incidents": [[i.at, i.kind, i.subject, i.handled] for i in happened],
        "broken_rules": list(controls.broken_rules),
        "jobs": len(world.jobs),
        "jobs_done": done,
        **_business(world, spend + rest * world.config.overflow_price),
    }


def _business(world: ElasticWorld, bill: float) -> dict[str, object]:
    """What tenants and a budget add to the figures, where there are any; `bill` in USD."""
    found: dict[str, object] = {}
    if world.config.tenants:
        found["promises"] = promises(world)
    if world.config.budget:
        found["budget_usd"] = world.config.budget
        found["over_budget_usd"] = max(0.0, bill - world.config.budget)
    return found


def promises(world: ElasticWorld) -> dict[str, list[int]]:
    """Tenant -> promises kept, promises due. One is due once the job began in time or did not."""
    found = {tenant.name: [0, 0] for tenant in world.config.tenants}
    for job, spec in enumerate(world.jobs.spec):
        state = world.jobs.state[job]
        if spec.promise < 0 or state == JobState.UNSEEN:
            continue
        late = world.jobs.total_wait(job, world.now) > spec.promise
        if late or state in (JobState.RUNNING, JobState.SAVING, JobState.DONE):
            found[spec.tenant][0] += not late
            found[spec.tenant][1] += 1
    return found
