"""What a controller sees of the elastic cluster: plain rows, built only when asked for."""

from __future__ import annotations

from scenarios.simulator.agenda import MINUTE
from scenarios.worlds.queue_autoscaler.config import WorldConfig
from scenarios.worlds.queue_autoscaler.tables import JobState, NodeState
from scenarios.worlds.queue_autoscaler.workload import PRIORITIES, JobSpec
from scenarios.worlds.queue_autoscaler.world import ElasticWorld

SEEN = {
    JobState.PENDING: "pending",
    JobState.HELD: "held",
    JobState.RUNNING: "running",
    JobState.SAVING: "saving",
}
STATES = {NodeState.STARTING: "starting", NodeState.READY: "ready", NodeState.DOWN: "down"}


def job_rows(world: ElasticWorld) -> list[list[object]]:
    """Every unfinished job, by number, in the field order of the SDK's Job. Times in s."""
    jobs, names, now = world.jobs, world.nodes.name, world.now
    regions = has_regions(world.config)
    rows: list[list[object]] = []
    for job, state in enumerate(jobs.state):
        if state not in SEEN:
            continue
        spec = jobs.spec[job]
        rows.append(
            [
                job,
                PRIORITIES[spec.priority],
                spec.gpus,
                SEEN[state],
                spec.submit // 1000,
                jobs.total_wait(job, now) // 1000,
                jobs.started_at[job] // 1000,
                spec.limit // 1000,
                spec.spot,
                spec.every // 1000,
                spec.protected,
                [names[node] for node in jobs.nodes[job]],
                *_owner(spec, regions),
            ]
        )
    return rows


def _owner(spec: JobSpec, regions: bool) -> tuple[object, ...]:
    """The fields of the SDK's Job that only a cluster with regions and tenants fills."""
    if not regions:
        return ()
    nothing = ("", "", "", -1, "", "", "", False, 0, "", 0)
    return ("", spec.tenant, *nothing, spec.zone, spec.promise // 1000 if spec.promise >= 0 else -1)


def has_regions(config: WorldConfig) -> bool:
    """Whether pools lie in zones or jobs belong to tenants."""
    return bool(config.tenants) or any(pool.zone for pool in config.pools)


def node_rows(world: ElasticWorld) -> list[list[object]]:
    """Every node that is not gone, in the field order of the SDK's Node. Times in s."""
    nodes, config = world.nodes, world.config
    rows: list[list[object]] = []
    for node in world.nodes.alive:
        notice = nodes.notice_at[node]
        rows.append(
            [
                nodes.name[node],
                config.pools[nodes.pool[node]].name,
                STATES[nodes.state[node]],
                config.gpus_per_node,
                nodes.free(node),
                nodes.cordoned[node],
                nodes.ready_at[node] // 1000,
                (notice + config.notice) // 1000 if notice >= 0 else -1,
                *_place(config.gpu.name, config.pools[nodes.pool[node]].zone),
            ]
        )
    return rows


def pool_rows(world: ElasticWorld) -> list[list[object]]:
    """Every pool in the field order of the SDK's Pool. Prices in USD for a node-hour."""
    rows: list[list[object]] = []
    for number, shape in enumerate(world.config.pools):
        states = [world.nodes.state[n] for n in world.nodes.alive if world.nodes.pool[n] == number]
        rows.append(
            [
                shape.name,
                shape.spot,
                len(states),
                states.count(NodeState.READY),
                states.count(NodeState.STARTING),
                states.count(NodeState.DOWN),
                shape.least,
                shape.most,
                shape.price,
                *_place("", shape.zone)[1:],
            ]
        )
    return rows


def _place(gpu: str, zone: str) -> tuple[str, ...]:
    """GPU model and zone, where there are zones."""
    return (gpu, zone) if zone else ()


def _noise(node: int, minute: int, salt: int) -> float:
    """A number in [0, 1) that depends on its arguments only."""
    mixed = (node * 7919 + minute * 104_729 + salt * 1_299_709 + 12_345) & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 0x5BD1E995 & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % 10_000 / 10_000


def gpu_row(world: ElasticWorld, node: int) -> list[object]:
    """Mean readings of one node's GPUs: name, util %, tensor active 0..1, SM MHz, °C, W, Xid.

    Healthy training runs at 55 to 72 °C and 89 to 100 % of the top clock; throttling at
    84 to 90 °C and 23 to 50 % of it, with utilisation still near 100 (domain handbook 2.2).
    """
    nodes, minute, gpu = world.nodes, world.now // MINUTE, world.config.gpu
    a, b = _noise(node, minute, 1), _noise(node, minute, 2)
    busy = 1 - nodes.free(node) / world.config.gpus_per_node
    name, util = nodes.name[node], round(100 * busy)
    if busy == 0:
        idle = int(gpu.idle_w * (1 + 0.25 * b))
        return [name, 0, 0.0, gpu.idle_mhz, 29 + int(6 * a), idle, 0]
    if nodes.slow[node]:
        tensor, clock = busy * (0.07 + 0.06 * a), int(gpu.top_mhz * (0.24 + 0.22 * b))
        return [name, util, round(tensor, 3), clock, 84 + int(5 * a), int(gpu.top_w * 0.42), 0]
    hungry = _noise(node, minute // 30, 3) < 0.12
    tensor = busy * (0.16 + 0.08 * a if hungry else 0.32 + 0.2 * a)
    clock = int(gpu.top_mhz * (0.89 + 0.11 * b))
    watts = int(gpu.idle_w + busy * gpu.top_w * (0.62 + 0.24 * b))
    return [name, util, round(tensor, 3), clock, 56 + int(15 * a), watts, 0]


def metric_view(world: ElasticWorld) -> dict[str, object]:
    """The monitoring system's newest answer: queues by priority, GPUs, spend, node readings.

    About one node in fifty is missing from a scrape.
    """
    waiting = {name: [0, 0, 0] for name in PRIORITIES}
    for priority, submit, job in world.queue.waiting:
        row = waiting[PRIORITIES[priority]]
        row[0] += 1
        row[1] += world.jobs.spec[job].gpus
        row[2] = max(row[2], (world.now - submit) // 1000)
    minute = world.now // MINUTE
    ready = [n for n in world.nodes.alive if world.nodes.state[n] == NodeState.READY]
    scraped = [n for n in ready if _noise(n, minute, 4) >= 0.02]
    return {
        "at": world.now // 1000,
        "queue": waiting,
        "gpus_total": len(ready) * world.config.gpus_per_node,
        "gpus_busy": sum(world.config.gpus_per_node - world.nodes.free(n) for n in ready),
        "spend": round(world.record.spend(world.now), 2),
        "nodes": [gpu_row(world, n) for n in scraped],
        **({"budget": world.config.budget} if world.config.budget else {}),
    }
