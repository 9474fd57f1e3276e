"""From a finished day to plain figures; knows no anchor and no score."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from scenarios.simulator.agenda import HOUR
from scenarios.worlds.front import Incident
from scenarios.worlds.mig_sharing.controls import Controls
from scenarios.worlds.mig_sharing.gangs import GangState
from scenarios.worlds.mig_sharing.kinds import SLICES
from scenarios.worlds.mig_sharing.meter import Ledger
from scenarios.worlds.mig_sharing.settings import CLASSES
from scenarios.worlds.mig_sharing.watch import Watch
from scenarios.worlds.mig_sharing.world import SliceWorld


def gang_waits(world: SliceWorld) -> list[float]:
    """Hours that each submitted gang spent without GPUs that it may be on, up to now."""
    gangs = world.training.gangs
    seen = [gang for gang in gangs if gang.state != GangState.UNSEEN]
    return sorted(gang.time_without(world.now) / HOUR for gang in seen)


def training(world: SliceWorld) -> tuple[float, float, float]:
    """GPU-hours of training done by the rules, that could have been done since submission, and lost."""
    done = possible = lost = 0
    for gang in world.training.gangs:
        if gang.state == GangState.UNSEEN:
            continue
        done += gang.work_counted(world.now) * gang.spec.gpus
        possible += min(gang.spec.work, world.now - gang.spec.submit) * gang.spec.gpus
        lost += gang.lost * gang.spec.gpus
    return done / HOUR, possible / HOUR, lost / HOUR


def bill_errors(world: SliceWorld) -> list[float]:
    """Percent by which each tenant's hour is billed wrong, for hours that should be billed by now.

    The last hour of a day counts only if the day went on after it.
    """
    world.serving.settle()
    world.training.settle()
    ledger: Ledger = world.core.ledger
    due = min(ledger.hours, max(0, world.now - HOUR) // HOUR)
    tenants = range(len(world.config.level.tenants))
    wanted = _wanted_hours(world)
    return [
        ledger.error(tenant, hour, (tenant, hour) in wanted)
        for tenant in tenants
        for hour in range(due)
    ]


def _wanted_hours(world: SliceWorld) -> set[tuple[int, int]]:
    """(tenant, hour) of the hours through which a service of the tenant wanted replicas."""
    found = set()
    for service in world.serving.services:
        steps = service.spec.steps
        for (begin, replicas), (end, _) in pairwise(steps):
            if replicas:
                hours = range(-(-begin // HOUR), end // HOUR)
                found |= {(service.spec.tenant, hour) for hour in hours}
    return found


def figures(
    world: SliceWorld, controls: Controls, watch: Watch, lost_writes: list[Incident]
) -> dict[str, Any]:
    """Every raw figure of the day, as plain data in the units named by its key."""
    meter, config = world.core.meter, world.config
    done, possible, lost = training(world)
    happened = [*world.trials.incidents(), *lost_writes]
    capacity = SLICES * config.gpus * max(1, world.now)
    return {
        "asked_h": {name: meter.asked_ms[i] / HOUR for i, name in enumerate(CLASSES)},
        "served_h": {name: meter.served_ms[i] / HOUR for i, name in enumerate(CLASSES)},
        "gang_waits_h": gang_waits(world),
        "training_done_gpu_h": done,
        "training_possible_gpu_h": possible,
        "training_lost_gpu_h": lost,
        "used_pct": 100.0 * meter.useful_ms / capacity,
        "breach_h": watch.breach_ms / HOUR,
        "ready_h": watch.ready_ms / HOUR,
        "bill_errors_pct": bill_errors(world),
        "missed_half_hours": {what: len(found) for what, found in watch.missed.items()},
        "layout_flaps": controls.flaps,
        "services_cut_short": controls.cuts,
        "gangs_cut_short": controls.short_gangs,
        "layouts_set": controls.layouts,
        "replicas_evicted": controls.moves,
        "incidents": [[one.at, one.kind, one.subject, one.handled] for one in happened],
        "broken_rules": list(world.core.broken_rules),
        "jobs": sum(gang.state != GangState.UNSEEN for gang in world.training.gangs),
        "jobs_done": sum(gang.state == GangState.DONE for gang in world.training.gangs),
        "services": len(world.serving.services),
    }
