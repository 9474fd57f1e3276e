"""One scrape of a simulated cluster in the Prometheus text format."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.setting import Setting, open_day
from scenarios.worlds.queue_autoscaler.tables import NodeState
from scenarios.worlds.queue_autoscaler.views import gpu_row
from scenarios.worlds.queue_autoscaler.workload import PRIORITIES

SCRAPED_AT = 10 * HOUR + 30 * MINUTE
LATEST = 20 * HOUR
FEW = 4
DRIVER = "580.95.05"

Sample = tuple[str, float | int]
"""(labels as they are written between the braces, value)"""


@lru_cache(maxsize=32)
def snapshot(profile: Profile, setting: Setting, seed: str) -> str:
    """The exporters' answers on an ordinary day with a middling fleet.

    Taken at half past ten, or as soon after as four jobs wait.

    The fleet is held at two thirds of the on-demand and half of the spot nodes, with one
    node throttled, so that the sample shows waiting jobs, busy nodes and one that is unwell.
    Metric names, types and label order are those of dcgm-exporter 4 (domain handbook 1.2).
    """
    day = open_day(profile, setting, "diurnal", f"{seed} monitoring sample", faults=False)
    while day.world.now < SCRAPED_AT or (_waiting(day) < FEW and day.world.now < LATEST):
        if day.world.now % HOUR == 0:
            _hold_fleet(day)
        day.tick()
    _throttle_one(day)
    lines: list[str] = []
    for name, kind, help_text, samples in [*_queue(day), *_fleet(day), *_gpus(day, seed)]:
        lines += [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{{{labels}}} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _waiting(day: Episode) -> int:
    return len(day.world.queue.waiting)


def _hold_fleet(day: Episode) -> None:
    for node in [n for n in day.world.nodes.alive if day.world.nodes.down_at[n] >= 0]:
        day.controls.release(day.world.nodes.name[node])
    for pool in day.config.pools:
        size = pool.most // 2 if pool.spot else pool.most * 2 // 3
        day.controls.scale(pool.name, max(pool.least, size))


def _ready(day: Episode) -> list[int]:
    world = day.world
    return [n for n in world.nodes.alive if world.nodes.state[n] == NodeState.READY]


def _throttle_one(day: Episode) -> None:
    nodes = day.world.nodes
    busy = [n for n in _ready(day) if nodes.free(n) == 0]
    for node in busy[1:2] or busy[:1]:
        nodes.slow[node] = True


Family = tuple[str, str, str, Iterable[Sample]]


def _queue(day: Episode) -> list[Family]:
    waiting = {name: [0, 0, 0] for name in PRIORITIES}
    for priority, submit, job in day.world.queue.waiting:
        row = waiting[PRIORITIES[priority]]
        row[0] += 1
        row[1] += day.world.jobs.spec[job].gpus
        row[2] = max(row[2], (day.world.now - submit) // 1000)
    texts = (
        ("scheduler_pending_jobs", "Jobs waiting, by priority."),
        ("scheduler_pending_gpus", "GPUs that waiting jobs ask for, by priority."),
        ("scheduler_oldest_pending_seconds", "Age of the oldest waiting job, by priority."),
    )
    return [
        (name, "gauge", text, [(f'priority="{p}"', row[i]) for p, row in waiting.items()])
        for i, (name, text) in enumerate(texts)
    ]


def _fleet(day: Episode) -> list[Family]:
    world = day.world
    rows = []
    for number, pool in enumerate(day.config.pools):
        states = [world.nodes.state[n] for n in day.controls.members(number)]
        for state in (NodeState.READY, NodeState.STARTING, NodeState.DOWN):
            labels = f'pool="{pool.name}",state="{state.name.lower()}"'
            rows.append((labels, states.count(state)))
    spend = round(world.record.spend(world.now), 2)
    cluster = f'cluster="{day.config.cluster}"'
    return [
        ("autoscaler_pool_nodes", "gauge", "Nodes that are charged for, by pool and state.", rows),
        ("autoscaler_spend_dollars_total", "counter", "Node charges today.", [(cluster, spend)]),
    ]


_DCGM = (
    ("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", 3),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", 4),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", 5),
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", 1),
    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "Ratio of cycles the tensor (HMMA) pipe is active.", 2),
    ("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 6),
)


def _gpus(day: Episode, seed: str) -> list[Family]:
    readings = {n: gpu_row(day.world, n) for n in _ready(day)}
    families: list[Family] = []
    for name, text, column in _DCGM:
        samples = [
            (_labels(day, node, gpu, seed), _spread(row[column], node, gpu, column))
            for node, row in readings.items()
            for gpu in range(day.config.gpus_per_node)
        ]
        families.append((name, "gauge", text, samples))
    return families


_BUS = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")


def _labels(day: Episode, node: int, gpu: int, seed: str) -> str:
    host = day.world.nodes.name[node]
    code = sha256(f"{seed} {host} {gpu}".encode()).hexdigest()
    uuid = f"GPU-{code[:8]}-{code[8:12]}-{code[12:16]}-{code[16:20]}-{code[20:32]}"
    return (
        f'gpu="{gpu}",UUID="{uuid}",pci_bus_id="00000000:{_BUS[gpu]}:00.0",device="nvidia{gpu}",'
        f'modelName="{day.config.gpu.product}",Hostname="{host}",DCGM_FI_DRIVER_VERSION="{DRIVER}"'
    )


def _spread(mean: object, node: int, gpu: int, column: int) -> float | int:
    """One GPU's reading around the node's mean; a node's GPUs differ by a few percent."""
    offset = ((node * 31 + gpu * 17 + column * 7) % 11 - 5) / 5
    if isinstance(mean, float):
        return round(max(0.0, mean * (1 + 0.04 * offset)), 6)
    value = int(str(mean))
    if column == 1 or value == 0:
        return value
    if column == 4:
        return value + round(offset)
    if column == 5:
        return round(value * (1 + 0.02 * offset), 3)
    return value - value % 15
