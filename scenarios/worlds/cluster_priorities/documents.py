"""Documents made by the world: Kueue's manifests, a list of workloads, one monitoring scrape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR
from scenarios.simulator.kueue.tree import Quota
from scenarios.worlds import reading
from scenarios.worlds.cluster_priorities.config import CohortWorldConfig
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.setting import Setting, cluster_config, open_span
from scenarios.worlds.cluster_priorities.tables import PENDING, Work
from scenarios.worlds.dcgm import Samples, scrape

SAMPLED_AT = 34 * HOUR
"""Ten o'clock on the second day."""


MANIFESTS: Mapping[str, str] = reading.table(__file__, "data.toml")["manifests"]
METRICS: Mapping[str, str] = reading.table(__file__, "data.toml")["metrics"]


def _part(part: str, /, **things: object) -> str:
    return MANIFESTS[part].format(**things)


def _groups(config: CohortWorldConfig, quotas: Mapping[int, Quota]) -> str:
    text = _part("groups") if quotas else ""
    for flavor, quota in quotas.items():
        text += _part("group", name=config.flavors[flavor].name, quota=quota)
        text += _part("borrowing", quota=quota) if quota.borrowing is not None else ""
        text += _part("lending", quota=quota) if quota.lending is not None else ""
    return text


def quotas_yaml(profile: Profile, setting: Setting, seed: str) -> str:
    """ResourceFlavors, cohorts that have limits, ClusterQueues, LocalQueues and priority classes."""
    config = cluster_config(profile, setting)
    parts = [
        _part("flavor", flavor=flavor, life="spot" if flavor.spot else "on-demand")
        + (_part("taint") if flavor.spot else "")
        for flavor in config.flavors
    ]
    for row in config.cohorts:
        if row.parent or row.limits:
            parent = _part("parent", row=row) if row.parent else ""
            parts.append(_part("cohort", row=row) + parent + _groups(config, row.limits))
    parts += [
        _part("queue", row=row) + _groups(config, row.quotas) + _part("rules")
        for row in config.queues
    ]
    parts += [
        _part("local", queue=config.queues[team.queue].name, team=team.name)
        for team in config.teams
    ]
    classes = {team.priority_class: team.priority for team in config.teams}
    parts += [_part("class", name=name, priority=rank) for name, rank in classes.items()]
    return "---\n".join(parts)


@lru_cache(maxsize=32)
def _yesterday(profile: Profile, setting: Setting, seed: str) -> Episode:
    """A day and ten hours under a plain first-come controller, to be looked at."""
    days = open_span(profile, setting, "diurnal", f"{seed} documents", faults=False)
    while days.world.now < SAMPLED_AT and not days.complete:
        days.tick()
        _follow_calendar(days)
        waiting = [work for work in days.world.open.values() if work.state == PENDING]
        for work in sorted(waiting, key=lambda one: (-_priority(days, one), one.number)):
            _try(days, work)
    return days


def _follow_calendar(days: Episode) -> None:
    """The quotas that hold at the time, so that the scrape agrees with the manifests."""
    world = days.world
    for (queue, flavor), nominal in list(world.nominal.items()):
        planned = days.config.planned(queue, flavor, world.now)
        if planned != nominal:
            world.set_nominal(queue, flavor, planned)


def _priority(days: Episode, work: Work) -> int:
    return days.config.teams[work.request.team].priority


def _try(days: Episode, work: Work) -> None:
    world = days.world
    for flavor in days.config.teams[work.request.team].flavors:
        room = world.room(world.queue_of(work), flavor)
        places = world.places(flavor, work.request.gpus)
        if room >= work.request.gpus and places is not None:
            world.admit(work, flavor, places)
            return


def _age(seconds: int) -> str:
    """An age as kubectl prints it: seconds up to two minutes, both up to ten, minutes up to three

    hours, then hours and minutes up to eight.
    """
    minutes = seconds // 60
    if minutes < 2:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s" if seconds % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    rest = f"{minutes % 60}m" if minutes < 480 and minutes % 60 else ""
    return f"{minutes // 60}h{rest}"


def _name(work: Work) -> str:
    """A workload's name as Kueue makes it from the job's: the end is a hash."""
    return f"job-{work.request.name}-{sha256(work.request.name.encode()).hexdigest()[:5]}"


def _place(days: Episode, work: Work) -> tuple[str, str]:
    """kubectl lists by namespace and name."""
    return days.config.teams[work.request.team].name, _name(work)


def workloads_txt(profile: Profile, setting: Setting, seed: str) -> str:
    """What `kubectl get workloads -A` shows at ten in the morning."""
    days = _yesterday(profile, setting, seed)
    rows = [("NAMESPACE", "NAME", "QUEUE", "RESERVED IN", "ADMITTED", "FINISHED", "AGE")]
    for work in sorted(days.world.open.values(), key=lambda one: _place(days, one)):
        team = days.config.teams[work.request.team]
        queue = days.config.queues[team.queue].name
        held = work.holds
        age = (days.world.now - work.request.at) // 1000
        rows.append(
            (
                team.name,
                _name(work),
                queue,
                queue if held else "",
                "True" if held else "",
                "",
                _age(age),
            )
        )
    widths = [max(len(row[column]) for row in rows) + 3 for column in range(7)]
    lines = [
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(["$ kubectl get workloads -A", *lines]) + "\n"


@lru_cache(maxsize=32)
def snapshot(profile: Profile, setting: Setting, seed: str) -> str:
    """Kueue's own metrics at ten in the morning."""
    days = _yesterday(profile, setting, seed)
    found = (*_workloads(days), *_usage(days))
    return scrape(
        (name, text, rows) for (name, text), rows in zip(METRICS.items(), found, strict=True)
    )


def _workloads(days: Episode) -> tuple[Samples, Samples]:
    """Pending and admitted workloads by queue."""
    world = days.world
    pending: list[tuple[str, object]] = []
    admitted: list[tuple[str, object]] = []
    for number, queue in enumerate(days.config.queues):
        mine = [work for work in world.open.values() if world.queue_of(work) == number]
        waiting = [work for work in mine if work.state == PENDING]
        blocked = sum(not _has_room(days, work) for work in waiting)
        labels = f'cluster_queue="{queue.name}"'
        pending.append((f'{labels},status="active"', len(waiting) - blocked))
        pending.append((f'{labels},status="inadmissible"', blocked))
        admitted.append((labels, len(mine) - len(waiting)))
    return pending, admitted


def _has_room(days: Episode, work: Work) -> bool:
    """Whether quota would let a workload in. Kueue puts others aside until something is freed."""
    queue = days.world.queue_of(work)
    flavors = days.config.teams[work.request.team].flavors
    return any(days.world.room(queue, flavor) >= work.request.gpus for flavor in flavors)


def _usage(days: Episode) -> tuple[Samples, Samples]:
    """Used and nominal quota by queue and flavour."""
    world, config = days.world, days.config
    used: list[tuple[str, object]] = []
    nominal: list[tuple[str, object]] = []
    for number, queue in enumerate(config.queues):
        for flavor in queue.quotas:
            labels = (
                f'cohort="{queue.cohort}",cluster_queue="{queue.name}",'
                f'flavor="{config.flavors[flavor].name}",resource="nvidia.com/gpu"'
            )
            used.append((labels, world.tree.used[number][flavor]))
            nominal.append((labels, world.nominal[number, flavor]))
    return used, nominal


DOCUMENTS: Mapping[str, Callable[[Profile, Setting, str], str]] = {
    "quotas.yaml": quotas_yaml,
    "workloads.txt": workloads_txt,
    "metrics.prom": snapshot,
}
