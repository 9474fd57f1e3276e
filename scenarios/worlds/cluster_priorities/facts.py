"""Raw figures of a span: what measures are made of; knows no anchor."""

from __future__ import annotations

from typing import Any

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.cluster_priorities.config import ADHOC, LONG
from scenarios.worlds.cluster_priorities.tables import FINISHED, Work
from scenarios.worlds.cluster_priorities.world import CohortWorld

DUE_BEFORE_END = 8 * HOUR
"""Workloads sent later than their run time and this before the end are nobody's fault."""
MAY_LOSE = 10 * MINUTE
"""A run that lost no more than this counts as undisturbed: it is a checkpoint's distance."""


def figures(world: CohortWorld, lost_writes: list[list[object]]) -> dict[str, Any]:
    """JSON data; times of incidents and rules in s, the units of the rest in their names."""
    config, record = world.config, world.record
    sent = [work for work in world.works if work.request.at <= world.now]
    open_incidents = [one for one in record.incidents if one.handled is not None]
    left = sum(work.total - work.done(world.now) for work in sent)
    return {
        "workloads": len(sent),
        "finished": sum(work.state == FINISHED for work in sent),
        "on_time": on_time(world, sent),
        "wait_min": waits(world, sent),
        "plan_pct": plan_pct(world),
        "undisturbed": [int(undisturbed(work)) for work in _due(world, sent)],
        "idle_gpu_h": record.idle_gpu_ms / HOUR,
        "out_of_agreement_h": record.out_ms / HOUR,
        "lost_gpu_h": sum(work.lost for work in sent) / HOUR,
        "never_begun_gpu_h": sum(w.total for w in _due(world, sent) if not w.runs) / HOUR,
        "phase_gpu_h": {key: ms / HOUR for key, ms in world.meter.phase_ms.items()},
        "spend_usd": world.meter.spend(),
        "ondemand_usd": sum(
            f.price * ms / HOUR
            for f, ms in zip(config.flavors, world.meter.in_use_ms, strict=True)
            if not f.spot
        ),
        "left_over_gpu_h": left / HOUR,
        "left_over_usd": left / HOUR * config.overflow_price,
        "stops": record.stops,
        "needless_stops": record.needless_stops,
        "broken_rules": [[at // 1000, name] for at, name in record.broken_rules],
        "incidents": [
            *([one.at // 1000, one.kind, one.subject, one.handled] for one in open_incidents),
            *lost_writes,
        ],
    }


def _kind(world: CohortWorld, work: Work) -> str:
    return world.config.teams[work.request.team].kind


def _due(world: CohortWorld, sent: list[Work]) -> list[Work]:
    """Workloads that could have been finished by now with little waiting."""
    return [w for w in sent if w.request.at + w.request.run + DUE_BEFORE_END <= world.now]


def on_time(world: CohortWorld, sent: list[Work]) -> list[float]:
    """For every workload whose deadline is past: 1 if it was kept, down to 0 an hour later."""
    found = []
    for work in sent:
        due = work.request.deadline
        if 0 <= due <= world.now:
            late = (work.finished_at if work.state == FINISHED else world.now + DAY) - due
            found.append(min(1.0, max(0.0, 1.0 - late / HOUR)))
    return found


def waits(world: CohortWorld, sent: list[Work]) -> list[float]:
    """Minutes that experiments waited, all waits together, sorted; unfinished ones so far."""
    mine = [work for work in sent if _kind(world, work) == ADHOC]
    return sorted(work.wait(world.now) / MINUTE for work in mine)


def plan_pct(world: CohortWorld) -> list[float]:
    """For every day and long-running team: its GPU-hours of that day against the plan, at most 100.

    A day on which less was sent than planned asks for no more than there was to do.
    """
    found = []
    closes = [*world.watch.done_by_day]
    if world.now % DAY:
        closes.append(world.watch.done_by_team())
    for number, team in enumerate(world.config.teams):
        if team.kind != LONG:
            continue
        for day, done in enumerate(closes):
            before = closes[day - 1][number] if day else 0
            until = min(world.now, (day + 1) * DAY)
            sent = sum(
                w.total
                for w in world.works
                if w.request.team == number and w.request.at < day * DAY + HOUR
            )
            wanted = min(team.plan * (until - day * DAY), max(0, sent - before))
            share = 1.0 if wanted <= 0 else (done[number] - before) / wanted
            found.append(100 * min(1.0, max(0.0, share)))
    return found


def undisturbed(work: Work) -> bool:
    """Finished, never stopped without need, and next to nothing had to be done twice."""
    small = work.lost <= MAY_LOSE * work.request.gpus
    return work.state == FINISHED and not work.needless and small
