"""What a controller sees of the cluster: plain rows, built only when asked for."""

from __future__ import annotations

from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.front import within
from scenarios.worlds.spot_checkpointing.config import ONDEMAND, SPOT
from scenarios.worlds.spot_checkpointing.tables import (
    JOINING,
    Node,
    NodeState,
    Training,
)
from scenarios.worlds.spot_checkpointing.world import SpotWorld

LONG_LIFE = 30 * HOUR
"""Mean life of a spot node in a zone of the best placement score."""


def _pool(node: Node, world: SpotWorld) -> str:
    return f"{SPOT if node.spot else ONDEMAND}-{world.config.zones[node.zone].name}"


def node_rows(world: SpotWorld) -> list[list[object]]:
    """Every node that is charged for, in the field order of the SDK's Node. Times in s."""
    config, rows = world.config, []
    per_node = config.gpus_per_node
    for number in world.machines.alive:
        node = world.machines.nodes[number]
        free = world.machine.level[number] if node.state == NodeState.READY else 0
        reclaim = (node.notice_at + config.notice) // 1000 if node.notice_at >= 0 else -1
        row: list[object] = [
            node.name,
            _pool(node, world),
            node.state.name.lower(),
            per_node,
            free,
            False,
            node.ready_at // 1000 if node.ready_at >= 0 else -1,
            reclaim,
            config.gpu.name,
            config.zones[node.zone].name,
        ]
        rows.append(row)
    return rows


def pool_rows(world: SpotWorld) -> list[list[object]]:
    """Every pool in the field order of the SDK's Pool. Prices in USD for a node-hour, now."""
    rows: list[list[object]] = []
    for number, zone in enumerate(world.config.zones):
        for spot in (True, False):
            nodes = [world.machines.nodes[n] for n in world.machines.members(number, spot)]
            states = [node.state for node in nodes]
            rows.append(
                [
                    f"{SPOT if spot else ONDEMAND}-{zone.name}",
                    spot,
                    len(states),
                    states.count(NodeState.READY),
                    states.count(NodeState.STARTING),
                    states.count(NodeState.DOWN),
                    0,
                    zone.spot_most if spot else zone.ondemand_most,
                    round(world.paths[number][spot].at(world.now), 4),
                ]
            )
    return rows


def score(world: SpotWorld, zone: int) -> int:
    """The provider's placement score, 1 to 10, as it was at the full hour; 1 or 2 in a dry spell then."""
    hour = world.now // HOUR
    wobble = noise(zone, hour, 7)
    if within(hour * HOUR, world.trouble.dry[zone]):
        return 1 + int(2 * wobble)
    share = min(1.0, world.trouble.reclaim_means[zone] / LONG_LIFE)
    return max(1, min(10, round(2 + 7 * share + 2 * wobble - 1)))


def zone_rows(world: SpotWorld) -> list[list[object]]:
    """Every zone in the field order of the SDK's Zone. Prices in USD for a node-hour."""
    return [
        [
            zone.name,
            zone.region,
            round(world.paths[number][True].at(world.now), 4),
            zone.ondemand_price,
            score(world, number),
        ]
        for number, zone in enumerate(world.config.zones)
    ]


def training_row(world: SpotWorld, run: Training) -> list[object]:
    """One run in the field order of the SDK's Training. Times in s."""
    now, nodes, config = world.now, world.machines.nodes, run.config
    return [
        config.name,
        run.state,
        run.pace.at(now),
        config.steps,
        round(run.step_ms / 1000, 3) if run.trains else 0.0,
        world.saving.loss(run) if run.trains else 0.0,
        [nodes[n].name for n in run.nodes],
        run.every,
        run.mode,
        run.resumed_from,
        run.latest,
        run.reason,
        run.stopped_at // 1000,
        run.stop_step,
        config.checkpoint_gb,
        config.least,
        config.most,
        config.deadline // 1000,
        config.penalty,
    ]


def training_rows(world: SpotWorld) -> list[list[object]]:
    """Every run."""
    return [training_row(world, run) for run in world.trainings]


def checkpoint_rows(world: SpotWorld) -> list[list[object]]:
    """Every checkpoint that is there, oldest first, in the field order of the SDK's Checkpoint."""
    saving = world.saving
    rows: list[list[object]] = []
    for made in (saving.all[index] for index in saving.present):
        written = made.stored_gb
        if made.ended_at < 0:
            written = int(made.gb * min(0.97, (world.now - made.begun_at) / made.lasts))
        name = world.trainings[made.training].config.name
        rows.append(
            [
                made.name,
                name,
                made.step,
                made.region,
                made.state,
                written,
                made.begun_at // 1000,
                made.ended_at // 1000 if made.ended_at >= 0 else -1,
                made.checked,
                made.detail if made.checked in ("good", "bad") else "",
                made.loss,
            ]
        )
    return rows


def store_rows(world: SpotWorld) -> list[list[object]]:
    """Every region's store in the field order of the SDK's Store. Sizes in GB."""
    return [
        [region, world.saving.used[region], store.quota_gb, store.limit_gb]
        for region, store in world.config.stores.items()
    ]


def noise(subject: int, time: int, salt: int) -> float:
    """A number in [0, 1) that depends on its arguments only."""
    mixed = (subject * 7919 + time * 104_729 + salt * 1_299_709 + 12_345) & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 0x5BD1E995 & 0xFFFFFFFF
    return (mixed ^ (mixed >> 15)) % 10_000 / 10_000


def gpu_row(world: SpotWorld, number: int) -> list[object]:
    """Mean readings of one node's GPUs: name, util %, tensor active 0..1, SM MHz, °C, W, Xid.

    In a gang with one throttled node the throttled one is hot and clocks low; the others keep
    their clock but wait in the all-reduce: utilisation near 100 at little power and low tensor
    activity (domain handbook 0 and 2.2).
    """
    node = world.machines.nodes[number]
    return [node.name, *_readings(world, node, number), 0]


def _readings(world: SpotWorld, node: Node, number: int) -> tuple[int, float, int, int, int]:
    """Utilisation, tensor activity, clock, temperature and power of a node's GPUs."""
    gpu, minute = world.config.gpu, world.now // MINUTE
    a, b = noise(number, minute, 1), noise(number, minute, 2)
    run = world.machines.run_on(number)
    if run is not None and run.state == JOINING:
        return int(4 * a), 0.0, gpu.top_mhz, 38 + int(4 * a), int(gpu.top_w * 0.18)
    if run is None or not run.trains:
        return 0, 0.0, gpu.idle_mhz, 29 + int(6 * a), int(gpu.idle_w * (1 + 0.25 * b))
    if node.slow:
        clock, watts = int(gpu.top_mhz * (0.3 + 0.16 * b)), int(gpu.top_w * 0.45)
        return 99, round(0.2 + 0.05 * a, 3), clock, 84 + int(5 * a), watts
    waits = any(world.machines.nodes[n].slow for n in run.nodes)
    tensor, power, heat = (0.24, 0.5, 50) if waits else (0.42, 0.84, 58)
    clock, watts = int(gpu.top_mhz * (0.9 + 0.1 * b)), int(gpu.top_w * (power + 0.06 * b))
    return 97 + int(3 * a), round(tensor + 0.06 * a, 3), clock, heat + int(10 * a), watts


def metric_view(world: SpotWorld) -> dict[str, object]:
    """The monitoring system's newest answer: GPUs, spend, readings of the nodes that are up.

    About one node in fifty is missing from a scrape.
    """
    minute = world.now // MINUTE
    machine, alive = world.machine, world.machines.alive
    scraped = [n for n in alive if n not in machine.out and noise(n, minute, 4) >= 0.02]
    return {
        "at": world.now // 1000,
        "queue": {},
        "gpus_total": machine.capacity,
        "gpus_busy": machine.capacity - machine.free,
        "spend": round(world.spend(), 2),
        "nodes": [gpu_row(world, n) for n in scraped],
    }
