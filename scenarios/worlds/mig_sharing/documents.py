"""What candidates are shown of the cluster: nvidia-smi, kubectl and a scrape, and the texts' words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.worlds import reading
from scenarios.worlds.mig_sharing.demand import FAMILIES, draw_gangs, draw_services
from scenarios.worlds.mig_sharing.fleet import Fleet, Gpu
from scenarios.worlds.mig_sharing.kinds import COMPUTE, SLICES
from scenarios.worlds.mig_sharing.sample import morning
from scenarios.worlds.mig_sharing.scrape import scrape
from scenarios.worlds.mig_sharing.settings import NODE, Level, Trouble, make_config

GIB = 1024 * 1024
"""In KiB, as the kubelet reports memory."""
CORES, MEMORY, DISK = 224, 2_113_460_044, 1_844_284_980
"""Of a node: processors, and KiB of memory and of disk."""
KEPT_CORES, KEPT_MEMORY = 2, 14 * GIB + 100 * 1024
"""What kubelet and system keep, with the threshold of eviction: pods cannot ask for it."""
SLICE_CORES, SLICE_GIB = 3, 24
GPU_CORES, GPU_GIB = 24, 220
"""What pods ask for with each compute slice of an instance, and with each whole GPU."""
DAEMONS_MILLICORES, DAEMONS_GIB = 1150, 3
HUGE_PAGES = ("hugepages-1Gi", "hugepages-2Mi")
_DATA = reading.table(__file__, "data.toml")
PRINTED = _DATA["printed"]


def mig_listing(profile: Profile, level: Level, seed: str) -> str:
    """`nvidia-smi mig -lgi` and `-lgipp` on the first node."""
    world = morning(profile, level, seed)
    card, parts = world.config.card, [PRINTED["listing"]]
    for index, gpu in enumerate(world.core.fleet.of(world.core.fleet.nodes[0])):
        for start, kind in gpu.layout:
            one = card.plain[kind]
            columns = {"ident": one.instance(start), "place": f"{start}:{one.width}"}
            parts.append(
                PRINTED["instance"].format(gpu=index, name=one.name, number=one.number, **columns)
            )
    parts.append(PRINTED["placements"])
    for one in card.profiles:
        places = f"{{{','.join(map(str, one.starts))}}}:{one.width}"
        word = "Placements:" if len(one.starts) > 1 else "Placement :"
        parts.append(f"GPU  0 Profile ID {one.number:>2} {word} {places}\n")
    return "".join(parts)


def node_text(profile: Profile, level: Level, seed: str) -> str:
    """The parts of `kubectl describe node` that matter here, for the first node."""
    world = morning(profile, level, seed)
    node = world.core.fleet.nodes[0]
    gpus = world.core.fleet.of(node)
    have: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for gpu in gpus:
        if not gpu.mig:
            have["nvidia.com/gpu"] += 1
            used["nvidia.com/gpu"] += gpu.gang >= 0
        for start, kind in gpu.layout:
            have[f"nvidia.com/mig-{world.config.card.names[kind]}"] += 1
            used[f"nvidia.com/mig-{world.config.card.names[kind]}"] += start in gpu.held
    if level.rdma:
        have["rdma/hca_shared_devices_a"] = 64
        used["rdma/hca_shared_devices_a"] = used["nvidia.com/gpu"]
    labels = _labels(world.config.product.replace(" ", "-"), len(gpus), have, node.name)
    left = DISK * 1024 * 9 // 10, MEMORY - KEPT_MEMORY
    text: str = PRINTED["node"].format(
        name=node.name,
        labels=f"\n{'':20}".join(labels),
        capacity=_amounts(have, CORES, f"{DISK}Ki", MEMORY),
        allocatable=_amounts(have, CORES - KEPT_CORES, str(left[0]), left[1]),
        allocated=_allocated(gpus, have, used),
    )
    return text


def _labels(product: str, count: int, have: Mapping[str, int], name: str) -> list[str]:
    things = {"name": name, "count": count, "product": product}
    labels = [one.format(**things) for one in PRINTED["labels"]]
    for resource in (one for one in have if "mig-" in one):
        labels.append(f"{resource}.count={have[resource]}")
        kind = resource.removeprefix("nvidia.com/mig-")
        labels.append(f"{resource}.product={product}-MIG-{kind}")
    return sorted(labels, key=lambda label: label.partition("=")[0])


def _allocated(gpus: list[Gpu], have: Mapping[str, int], used: Mapping[str, int]) -> str:
    """The table of requests and limits: percent of what can be allocated, none of devices."""
    training = sum(gpu.gang >= 0 for gpu in gpus)
    slices = sum(COMPUTE[gpu.kind_at(at) or 0] for gpu in gpus for at in gpu.held)
    cores = DAEMONS_MILLICORES + 1000 * (slices * SLICE_CORES + training * GPU_CORES)
    memory = DAEMONS_GIB + slices * SLICE_GIB + training * GPU_GIB
    cpu_share = cores // (10 * (CORES - KEPT_CORES))
    held = f"{memory}Gi ({100 * memory * GIB // (MEMORY - KEPT_MEMORY)}%)"
    rows = [
        ("Resource", "Requests", "Limits"),
        ("--------", "--------", "------"),
        ("cpu", f"{cores}m ({cpu_share}%)", "0 (0%)"),
        ("memory", held, held),
        *((name, "0 (0%)", "0 (0%)") for name in ("ephemeral-storage", *HUGE_PAGES)),
        *((name, str(used[name]), str(used[name])) for name in sorted(have)),
    ]
    return "\n".join(f"  {name:<28}{asked:<17}{limits}" for name, asked, limits in rows)


def _amounts(have: Mapping[str, int], cpu: int, disk: str, memory: int) -> str:
    plain = {"cpu": cpu, "ephemeral-storage": disk, "memory": f"{memory}Ki", "pods": 250}
    every = {**plain, **dict.fromkeys(HUGE_PAGES, 0), **have}
    return "\n".join(f"  {f'{name}:':<28}{every[name]}" for name in sorted(every))


@lru_cache(maxsize=16)
def _size(profile: Profile, level: Level) -> tuple[int, int]:
    """Services and training jobs of a usual day, rounded to tens."""
    config = make_config(profile, level, Trouble())
    services = len(draw_services(FAMILIES["diurnal"], config, "usual"))
    return round(services, -1), round(len(draw_gangs(config, "usual")), -1)


def words(profile: Profile, level: Level) -> Mapping[str, str]:
    """What the placeholders of the pack's texts stand for."""
    config = make_config(profile, level, Trouble())
    services, jobs = _size(profile, level)
    tenants = [tenant.name for tenant in level.tenants]
    first = Fleet(config).gpus[: config.gpus_per_node]
    return reading.spoken(
        _DATA["words"],
        profile=profile,
        config=config,
        names=config.card.names,
        cards=[
            ", ".join(str(gpu.number) for gpu in first if len(gpu.layout) == instances)
            for instances in range(SLICES + 1)
        ],
        shell=" ".join(tenants),
        slices=SLICES * config.gpus,
        tenants=", ".join(tenants[:-1]) + " and " + tenants[-1],
        count=len(tenants),
        alone=" and ".join(one.name for one in level.tenants if one.isolation == NODE) or "nobody",
        services=services,
        jobs=jobs,
        largest=min(level.largest_gang, config.gpus // 2),
    )


DOCUMENTS: Mapping[str, Callable[[Profile, Level, str], str]] = {
    "mig.txt": mig_listing,
    "node.txt": node_text,
    "metrics.prom": scrape,
}
