"""What candidates are shown of the cluster: nvidia-smi, kubectl and a scrape, and the texts' words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.worlds.mig_sharing.demand import FAMILIES, draw_gangs, draw_services
from scenarios.worlds.mig_sharing.fleet import Fleet, Gpu
from scenarios.worlds.mig_sharing.kinds import COMPUTE, WIDTH
from scenarios.worlds.mig_sharing.sample import instance_id, morning
from scenarios.worlds.mig_sharing.scrape import scrape
from scenarios.worlds.mig_sharing.settings import NODE, Config, Level, Trouble, make_config
from scenarios.worlds.mig_sharing.world import SliceWorld

EVENTS = (
    "Events:",
    "  Type    Reason                   Age   From     Message",
    "  ----    ------                   ----  ----     -------",
    "  Normal  NodeAllocatableEnforced  9h    kubelet  Updated Node Allocatable limit across pods",
)
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
LINE = "+-------------------------------------------------------+"


def mig_listing(profile: Profile, level: Level, seed: str) -> str:
    """`nvidia-smi mig -lgi` and `-lgipp` on the first node, as drivers of 2025 print them."""
    world = morning(profile, level, seed)
    names = world.config.card.names
    rows = [
        "$ nvidia-smi mig -lgi",
        LINE,
        "| GPU instances:                                        |",
        "| GPU   Name             Profile  Instance   Placement  |",
        "|                          ID       ID       Start:Size |",
        "|=======================================================|",
    ]
    node = world.core.fleet.nodes[0]
    for index, gpu in enumerate(world.core.fleet.of(node)):
        for start, kind in gpu.layout:
            number, place = world.config.card.number(kind), f"{start}:{WIDTH[kind]}"
            ident = instance_id(kind, start)
            left = f"|{index:>4}  MIG {names[kind]:<14}{number:>4}{ident:>9}"
            rows += [f"{left}{place:>13}     |", LINE]
    rows += ["", "$ nvidia-smi mig -i 0 -lgipp", *_placements(world)]
    return "\n".join(rows) + "\n"


def _placements(world: SliceWorld) -> list[str]:
    found = []
    for profile in world.config.card.model.profiles:
        starts = ",".join(str(start) for start in profile.starts)
        found.append(
            f"GPU  0 Profile ID {profile.number:>2} Placements: {{{starts}}}:{profile.width}"
            if len(profile.starts) > 1
            else f"GPU  0 Profile ID {profile.number:>2} Placement : {{{starts}}}:{profile.width}"
        )
    return found


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
    product = world.config.product.replace(" ", "-")
    parts = [
        f"Name:               {node.name}",
        "Roles:              gpu",
        *_labels(product, len(gpus), have, node.name),
        "Taints:             nvidia.com/gpu=present:NoSchedule",
        "Unschedulable:      false",
        *_amounts("Capacity:", have, str(CORES), f"{DISK}Ki", f"{MEMORY}Ki"),
        *_amounts(
            "Allocatable:",
            have,
            str(CORES - KEPT_CORES),
            str(DISK * 1024 * 9 // 10),
            f"{MEMORY - KEPT_MEMORY}Ki",
        ),
        "Allocated resources:",
        "  (Total limits may be over 100 percent, i.e., overcommitted.)",
        *_allocated(gpus, have, used),
        *EVENTS,
    ]
    return f"$ kubectl describe node {node.name}      # shortened\n" + "\n".join(parts) + "\n"


def _labels(product: str, count: int, have: Mapping[str, int], name: str) -> list[str]:
    labels = [
        f"kubernetes.io/hostname={name}",
        "node-role.kubernetes.io/gpu=",
        f"nvidia.com/gpu.count={count}",
        f"nvidia.com/gpu.product={product}",
        "nvidia.com/mig.capable=true",
        f"nvidia.com/mig.config={name}-layout",
        "nvidia.com/mig.config.state=success",
        "nvidia.com/mig.strategy=mixed",
    ]
    for resource in sorted(have):
        if "mig-" in resource:
            labels.append(f"{resource}.count={have[resource]}")
            profile = resource.removeprefix("nvidia.com/mig-")
            labels.append(f"{resource}.product={product}-MIG-{profile}")
    labels.sort(key=lambda label: label.partition("=")[0])
    return [
        f"Labels:             {labels[0]}",
        *(f"                    {one}" for one in labels[1:]),
    ]


def _allocated(gpus: list[Gpu], have: Mapping[str, int], used: Mapping[str, int]) -> list[str]:
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
    return [f"  {name:<28}{requests:<17}{limits}" for name, requests, limits in rows]


def _amounts(title: str, have: Mapping[str, int], cpu: str, disk: str, memory: str) -> list[str]:
    pages = dict.fromkeys(HUGE_PAGES, "0")
    plain = {"cpu": cpu, "ephemeral-storage": disk, "memory": memory, "pods": "250", **pages}
    every = {**plain, **{name: str(count) for name, count in have.items()}}
    return [title, *(f"  {f'{name}:':<28}{every[name]}" for name in sorted(every))]


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
    names = [tenant.name for tenant in level.tenants]
    apart = [tenant.name for tenant in level.tenants if tenant.isolation == NODE]
    kinds = dict(zip(("p1", "p1d", "p2", "p3", "p4", "p7"), config.card.names, strict=True))
    return {
        **kinds,
        "cluster": profile.cluster,
        "small_cards": _cards(config, 7),
        "mixed_cards": _cards(config, 4),
        "whole_cards": _cards(config, 0),
        "tenants_shell": " ".join(names),
        "nodes": str(config.nodes),
        "gpus_per_node": str(config.gpus_per_node),
        "gpus": str(config.gpus),
        "slices": str(7 * config.gpus),
        "gpu": profile.gpu,
        "gpu_product": config.product,
        "tenants": ", ".join(names[:-1]) + " and " + names[-1],
        "tenant_count": str(len(names)),
        "alone": " and ".join(apart) or "nobody",
        "services": str(services),
        "jobs": str(jobs),
        "largest_gang": str(min(level.largest_gang, config.gpus // 2)),
    }


def _cards(config: Config, instances: int) -> str:
    """Indices of a node's GPUs that hold so many instances at first, as mig-parted lists them."""
    first = Fleet(config).gpus[: config.gpus_per_node]
    found = [str(gpu.number) for gpu in first if len(gpu.layout) == instances]
    return ", ".join(found)


DOCUMENTS: Mapping[str, Callable[[Profile, Level, str], str]] = {
    "mig.txt": mig_listing,
    "node.txt": node_text,
    "metrics.prom": scrape,
}
