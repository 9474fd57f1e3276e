"""Documents made by the world: Kueue's manifests, a list of workloads, one monitoring scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR
from scenarios.simulator.kueue.tree import Quota
from scenarios.worlds.cluster_priorities.config import CohortWorldConfig, QueueConfig
from scenarios.worlds.cluster_priorities.episode import Episode
from scenarios.worlds.cluster_priorities.setting import Setting, cluster_config, open_span
from scenarios.worlds.cluster_priorities.tables import PENDING, Work

SAMPLED_AT = 34 * HOUR
"""Ten o'clock on the second day."""


def _limits(quota: Quota) -> list[str]:
    lines = [f"nominalQuota: {quota.nominal}"]
    if quota.borrowing is not None:
        lines.append(f"borrowingLimit: {quota.borrowing}")
    if quota.lending is not None:
        lines.append(f"lendingLimit: {quota.lending}")
    return lines


def _groups(config: CohortWorldConfig, quotas: Mapping[int, Quota]) -> list[str]:
    lines = ["  resourceGroups:", '  - coveredResources: ["nvidia.com/gpu"]', "    flavors:"]
    for flavor, quota in quotas.items():
        lines += [f"    - name: {config.flavors[flavor].name}", "      resources:"]
        lines.append("      - name: nvidia.com/gpu")
        lines += [f"        {line}" for line in _limits(quota)]
    return lines


def _queue(config: CohortWorldConfig, row: QueueConfig) -> list[str]:
    return [
        "apiVersion: kueue.x-k8s.io/v1beta2",
        "kind: ClusterQueue",
        "metadata:",
        f"  name: {row.name}",
        "spec:",
        f"  cohortName: {row.cohort}",
        "  namespaceSelector: {}",
        *_groups(config, row.quotas),
        "  preemption:",
        "    reclaimWithinCohort: Any",
        "    withinClusterQueue: LowerPriority",
        "  flavorFungibility:",
        "    whenCanBorrow: TryNextFlavor",
        "    whenCanPreempt: TryNextFlavor",
        "  stopPolicy: None",
    ]


def quotas_yaml(profile: Profile, setting: Setting, seed: str) -> str:
    """ResourceFlavors, cohorts that have limits, ClusterQueues, LocalQueues and priority classes.

    Fields and versions are Kueue's v1beta2 (domain handbook 1.8).
    """
    config = cluster_config(profile, setting)
    parts: list[list[str]] = []
    for flavor in config.flavors:
        taint = ["  nodeTaints:", "  - key: spot", '    value: "true"', "    effect: NoSchedule"]
        parts.append(
            [
                "apiVersion: kueue.x-k8s.io/v1beta2",
                "kind: ResourceFlavor",
                "metadata:",
                f"  name: {flavor.name}",
                "spec:",
                "  nodeLabels:",
                "    nvidia.com/gpu.product: Tesla-T4",
                f"    topology.kubernetes.io/region: {flavor.region}",
                f"    node-lifecycle: {'spot' if flavor.spot else 'on-demand'}",
                *(taint if flavor.spot else []),
            ]
        )
    for cohort in config.cohorts:
        if cohort.parent or cohort.limits:
            head = ["apiVersion: kueue.x-k8s.io/v1beta2", "kind: Cohort", "metadata:"]
            spec = [f"  parentName: {cohort.parent}"] if cohort.parent else []
            spec += _groups(config, cohort.limits) if cohort.limits else []
            parts.append([*head, f"  name: {cohort.name}", "spec:", *spec])
    parts += [_queue(config, row) for row in config.queues]
    parts += list(_team_parts(config))
    return "---\n".join("\n".join(part) + "\n" for part in parts)


def _team_parts(config: CohortWorldConfig) -> Iterable[list[str]]:
    for team in config.teams:
        yield [
            "apiVersion: kueue.x-k8s.io/v1beta2",
            "kind: LocalQueue",
            "metadata:",
            f"  name: {config.queues[team.queue].name}",
            f"  namespace: {team.name}",
            "spec:",
            f"  clusterQueue: {config.queues[team.queue].name}",
        ]
    classes = {team.priority_class: team.priority for team in config.teams}
    for name, priority in classes.items():
        yield [
            "apiVersion: kueue.x-k8s.io/v1beta2",
            "kind: WorkloadPriorityClass",
            "metadata:",
            f"  name: {name}",
            f"value: {priority}",
        ]


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
                team.name, _name(work), queue,
                queue if held else "", "True" if held else "", "", _age(age),
            )
        )  # fmt: skip
    widths = [max(len(row[column]) for row in rows) + 3 for column in range(7)]
    lines = [
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(["$ kubectl get workloads -A", *lines]) + "\n"


Sample = tuple[str, float | int]


@lru_cache(maxsize=32)
def snapshot(profile: Profile, setting: Setting, seed: str) -> str:
    """Kueue's own metrics at ten in the morning (names: domain handbook 1.8)."""
    days = _yesterday(profile, setting, seed)
    lines: list[str] = []
    for name, kind, text, samples in _families(days):
        lines += [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{{{labels}}} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _families(days: Episode) -> Iterable[tuple[str, str, str, list[Sample]]]:
    world, config = days.world, days.config
    pending: list[Sample] = []
    admitted: list[Sample] = []
    for number, queue in enumerate(config.queues):
        mine = [work for work in world.open.values() if world.queue_of(work) == number]
        waiting = [work for work in mine if work.state == PENDING]
        blocked = sum(not _has_room(days, work) for work in waiting)
        labels = f'cluster_queue="{queue.name}"'
        pending.append((f'{labels},status="active"', len(waiting) - blocked))
        pending.append((f'{labels},status="inadmissible"', blocked))
        admitted.append((labels, len(mine) - len(waiting)))
    yield (
        "kueue_pending_workloads", "gauge",
        "The number of pending workloads, per 'cluster_queue' and 'status'.", pending,
    )  # fmt: skip
    yield (
        "kueue_admitted_active_workloads", "gauge",
        "The number of admitted Workloads that are active (unsuspended and not finished),"
        " per 'cluster_queue'", admitted,
    )  # fmt: skip
    yield from _usage(days)


def _has_room(days: Episode, work: Work) -> bool:
    """Whether quota would let a workload in. Kueue puts others aside until something is freed."""
    queue = days.world.queue_of(work)
    flavors = days.config.teams[work.request.team].flavors
    return any(days.world.room(queue, flavor) >= work.request.gpus for flavor in flavors)


def _usage(days: Episode) -> Iterable[tuple[str, str, str, list[Sample]]]:
    world, config = days.world, days.config
    used: list[Sample] = []
    nominal: list[Sample] = []
    for number, queue in enumerate(config.queues):
        for flavor in queue.quotas:
            labels = (
                f'cohort="{queue.cohort}",cluster_queue="{queue.name}",'
                f'flavor="{config.flavors[flavor].name}",resource="nvidia.com/gpu"'
            )
            used.append((labels, world.tree.used[number][flavor]))
            nominal.append((labels, world.nominal[number, flavor]))
    yield (
        "kueue_cluster_queue_resource_usage", "gauge",
        "Reports the cluster_queue's total resource usage within all the flavors", used,
    )  # fmt: skip
    yield (
        "kueue_cluster_queue_nominal_quota", "gauge",
        "Reports the cluster_queue's resource nominal quota within all the flavors", nominal,
    )  # fmt: skip


DOCUMENTS: Mapping[str, Callable[[Profile, Setting, str], str]] = {
    "quotas.yaml": quotas_yaml,
    "workloads.txt": workloads_txt,
    "metrics.prom": snapshot,
}
