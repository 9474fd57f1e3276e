"""One scrape of a node with partitioned GPUs in the Prometheus text format."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from math import sqrt

from scenarios.company.profile import Profile
from scenarios.simulator.streams import Stream
from scenarios.worlds import dcgm
from scenarios.worlds.mig_sharing.fleet import Gpu
from scenarios.worlds.mig_sharing.kinds import SLICES
from scenarios.worlds.mig_sharing.sample import morning
from scenarios.worlds.mig_sharing.serving import Service
from scenarios.worlds.mig_sharing.settings import Level
from scenarios.worlds.mig_sharing.world import SliceWorld

BUSES = ("19", "3B", "4C", "5D", "9B", "BB", "CB", "DB")
METRICS = (
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
)
"""In the order of the readings."""
REPLICAS = (
    ("kube_deployment_spec_replicas", "Number of desired pods for a deployment.", "wanted"),
    (
        "kube_deployment_status_replicas_available",
        "The number of available replicas per deployment.",
        "ready",
    ),
)
Entity = tuple[str, int, float]
"""(labels, memory slices, share of time in use)."""
NO_WORDS = "bcdfghjklmnpqrstvwxz2456789"


def scrape(profile: Profile, level: Level, seed: str) -> str:
    """dcgm-exporter on the first node, and kube-state-metrics for the services.

    There is no DCGM_FI_DEV_GPU_UTIL for MIG instances; the engine's active ratio stands in for it.
    """
    world = morning(profile, level, seed)
    chance = Stream(seed, "scrape")
    gpus = world.core.fleet.of(world.core.fleet.nodes[0])
    rows = [row for gpu in gpus for row in _readings(world, profile, gpu, chance)]
    metrics: list[dcgm.Metric] = [
        (name, dcgm.TEXTS[name], [(labels, values[column]) for labels, values in rows])
        for column, name in enumerate(METRICS)
    ]
    return dcgm.scrape([*metrics, *_services(world)])


def _readings(
    world: SliceWorld, profile: Profile, gpu: Gpu, chance: Stream
) -> list[tuple[str, tuple[object, ...]]]:
    model = profile.gpu_model
    entities = list(_entities(world, gpu, chance))
    busy = sum(width * active for _, width, active in entities) / 8
    heat = 31 + int(32 * sqrt(busy) + chance.between(0, 5))
    watts = f"{model.idle_w + busy * 0.85 * (model.top_w - model.idle_w):.3f}"
    rows: list[tuple[str, tuple[object, ...]]] = []
    for labels, width, active in entities:
        share = chance.between(0.45, 0.9) if active else 0.0
        used = int(model.memory_mib * width / 8 * share)
        rows.append((labels, (heat, watts, 0, used, f"{active:.6f}")))
    return rows


def _entities(world: SliceWorld, gpu: Gpu, chance: Stream) -> Iterator[Entity]:
    """Each instance of a partitioned GPU, or the GPU itself."""
    index = gpu.number % world.config.gpus_per_node
    host, _, _ = gpu.name.partition("/")

    def labels(part: str, pod: str) -> str:
        name, product = f"uuid {gpu.name}", world.config.product
        return dcgm.labels(index, name, BUSES, product, host, part) + pod

    if not gpu.mig:
        pod = _gang(world, gpu)
        yield labels("", pod), 8, chance.between(0.9, 0.99) if pod else 0.0
    for start, kind in gpu.layout:
        one = world.config.card.plain[kind]
        part = f'GPU_I_PROFILE="{one.name}",GPU_I_ID="{one.instance(start)}",'
        pod = _replica(world, gpu, start)
        active = chance.between(0.1, 0.8) if pod else 0.0
        yield labels(part, pod), one.width, active


def _replica(world: SliceWorld, gpu: Gpu, start: int) -> str:
    replica = gpu.held.get(start)
    if replica is None:
        return ""
    spec = world.serving.services[replica.service].spec
    tenant = world.config.level.tenants[spec.tenant].name
    pod = f"{spec.name}-{_mark(spec.name, 10)}-{_mark(f'{spec.name} {replica.number}', 5)}"
    return f',container="server",namespace="{tenant}",pod="{pod}"'


def _mark(text: str, length: int) -> str:
    """As Kubernetes makes names unique: letters and digits that spell no words."""
    return "".join(
        NO_WORDS[byte % len(NO_WORDS)] for byte in sha256(text.encode()).digest()[:length]
    )


def _gang(world: SliceWorld, gpu: Gpu) -> str:
    if gpu.gang < 0:
        return ""
    gang = world.training.gangs[gpu.gang]
    tenant = world.config.level.tenants[gang.spec.tenant].name
    rank = gang.gpus.index(gpu.number)
    pod = f"train-{gang.number:03d}-worker-{rank}"
    return f',container="trainer",namespace="{tenant}",pod="{pod}"'


def _services(world: SliceWorld) -> list[dcgm.Metric]:
    """Wanted and available replicas of the first dozen services, by name."""
    alive = sorted(world.serving.alive.values(), key=lambda one: one.spec.name)[: 2 * SLICES]
    tenants = world.config.level.tenants

    def labels(one: Service) -> str:
        return f'namespace="{tenants[one.spec.tenant].name}",deployment="{one.spec.name}"'

    return [
        (name, f"[STABLE] {text}", [(labels(one), getattr(one, value)) for one in alive])
        for name, text, value in REPLICAS
    ]
