"""The cluster as the API shows it: rows of plain values, times in seconds."""

from __future__ import annotations

from scenarios.worlds.cluster_priorities.tables import AWAY, PENDING, RUNNING, Work
from scenarios.worlds.cluster_priorities.world import CohortWorld

Row = list[object]


def workload_rows(world: CohortWorld) -> list[Row]:
    """Every unfinished workload, oldest first (see `headnode_sdk.Workload`)."""
    return [_workload(world, work) for work in world.open.values()]


def _workload(world: CohortWorld, work: Work) -> Row:
    request, flavors = work.request, world.config.flavors
    team = world.config.teams[request.team]
    return [
        work.number,
        request.name,
        team.name,
        world.config.queues[team.queue].name,
        team.kind,
        team.priority_class,
        team.priority,
        work.state,
        request.gpus,
        request.least,
        [flavors[flavor].name for flavor in team.flavors],
        flavors[work.flavor].name if work.flavor >= 0 else "",
        work.gpus,
        [world.nodes[node].name for node, _ in work.nodes],
        request.at // 1000,
        work.wait(world.now) // 1000,
        work.waiting_since // 1000 if work.state == PENDING else -1,
        work.admitted_at // 1000 if work.admitted_at >= 0 else -1,
        work.state == RUNNING,
        request.estimate // 1000,
        round(work.done(world.now) / work.total, 3),
        request.checkpoint // 1000,
        request.deadline // 1000 if request.deadline >= 0 else -1,
        team.protected,
    ]


def quota_rows(world: CohortWorld) -> list[Row]:
    """Queue, flavour, nominal, used, borrowed, borrowing limit, lending limit; -1 for no limit."""
    rows: list[Row] = []
    for queue, row in enumerate(world.config.queues):
        for flavor, quota in row.quotas.items():
            nominal, used = world.nominal[queue, flavor], world.tree.used[queue][flavor]
            limits = [-1 if most is None else most for most in (quota.borrowing, quota.lending)]
            borrowed = max(0, used - nominal)
            rows.append(
                [row.name, world.config.flavors[flavor].name, nominal, used, borrowed, *limits]
            )
    return rows


def room_rows(world: CohortWorld) -> list[Row]:
    """Queue, flavour, guaranteed GPUs that it does not use, GPUs it may take now, see `Room`."""
    if world.room_shown is not None:
        return world.room_shown
    rows: list[Row] = []
    for queue, row in enumerate(world.config.queues):
        for flavor in row.quotas:
            most = world.room(queue, flavor)
            own = max(0, world.nominal[queue, flavor] - world.tree.used[queue][flavor])
            rows.append([row.name, world.config.flavors[flavor].name, own, most])
    world.room_shown = rows
    return rows


def flavor_rows(world: CohortWorld) -> list[Row]:
    """Name, spot, region, nodes, nodes ready, GPUs ready, free GPUs, price, USD since midnight."""
    rows: list[Row] = []
    today = world.meter.today_by_flavor()
    for number, flavor in enumerate(world.config.flavors):
        ready = [node for node in world.nodes if node.flavor == number and node.open]
        gpus = sum(node.gpus for node in ready)
        rows.append(
            [
                flavor.name,
                flavor.spot,
                flavor.region,
                flavor.nodes,
                len(ready),
                gpus,
                world.free(number),
                flavor.price,
                round(today[number], 2),
            ]
        )
    return rows


def node_rows(world: CohortWorld) -> list[Row]:
    """Nodes that are here (see `headnode_sdk.Node`): a reclaimed one is missing until it is back."""
    return [
        [
            node.name,
            world.config.flavors[node.flavor].name,
            node.state,
            node.gpus,
            node.free,
            node.reclaim_at >= 0,
            node.ready_at // 1000 if node.ready_at >= 0 else -1,
            node.reclaim_at // 1000 if node.reclaim_at >= 0 else -1,
            "T4",
            world.config.flavors[node.flavor].region,
        ]
        for node in world.nodes
        if node.state != AWAY
    ]


def calendar_rows(world: CohortWorld) -> list[Row]:
    """Queue, flavour, seconds after midnight from which it holds, nominal quota."""
    config, rows = world.config, []
    if not config.calendar:
        return []
    for queue, row in enumerate(config.queues):
        for flavor in row.quotas:
            name = config.flavors[flavor].name
            for begins in (config.night_ends, config.night_begins):
                rows.append([row.name, name, begins // 1000, config.planned(queue, flavor, begins)])
    return rows
