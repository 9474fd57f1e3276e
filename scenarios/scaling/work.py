"""Demand before the year: how much of each class the teams ask for, and what its jobs are like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scenarios.company.profile import Profile
from scenarios.company.profile.tables import JOB_CLASSES, StorageTier
from scenarios.scaling.assumptions import USABLE_UPLINK
from scenarios.scaling.bottlenecks import BOTTLENECKS, effect
from scenarios.scaling.content import rows
from scenarios.scaling.scene import Bottleneck, Place, Work
from scenarios.scaling.speeds import speed
from scenarios.scaling.wording import picked

LEAST_SHARE = 0.004
"""A class with less of the GPU-hours is left out."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is assumed of a class of work, as `texts/work.toml` has it and says of each field."""

    job_class: str
    title: str
    read_gbs: float
    cross_gbps: float
    io: float
    priority: int
    wait_target_h: float
    hours: float = 0.0
    sigma: float = 0.0
    sizes: Mapping[str, float] = field(default_factory=dict)
    nodes: tuple[float, ...] = ()
    burst_gbs: float = 0.0
    net: float = 0.0
    save_h: float = 1.0
    late_usd: float = 0.0


KINDS: Mapping[str, Kind] = {row["job_class"]: Kind(**row) for row in rows("work")}
PLAIN: Mapping[str, float] = {"scratch_bandwidth": 0.33, "checkpoint_bursts": 0.12, "spine": 0.40}
"""Mean load of storage and spine over what they carry where neither is a bottleneck: peaks stay below 1."""
USED_PORT = 0.7
"""Most of a GPU's own port that its job uses on average: collective operations leave pauses."""
LEAST_NIGHT = 0.05
"""Least that serving asks for at night, of its peak."""
PEAKED = 0.375
"""Mean of a day's curve (1 + cos)² / 4, which serving follows: 0 at night, 1 at its peak."""


def shares_of(profile: Profile) -> dict[str, float]:
    """Class -> part of all GPU-hours, over the teams; they add up to 1."""
    found = {
        name: sum(team.gpu_share * team.mix[name] for team in profile.teams) for name in JOB_CLASSES
    }
    kept = {name: part for name, part in found.items() if part >= LEAST_SHARE}
    total = sum(kept.values())
    return {name: part / total for name, part in kept.items()}


def work_of(
    profile: Profile, places: tuple[Place, ...], load: float, planted: tuple[Bottleneck, ...]
) -> tuple[Work, ...]:
    """All classes. load: GPU-hours asked for over those that the own GPUs have, before the year."""
    day = 24 * sum(
        kind.gpus * count * speed(kind.gpu, profile.gpu)
        for one in places
        for kind, count in one.nodes
    )
    strength = {one.key: one.strength for one in planted}
    found = [
        _one(profile, places, name, share * day, load, strength)
        for name, share in shares_of(profile).items()
    ]
    return tuple(_loaded(found, places, strength))


def _one(
    profile: Profile,
    places: tuple[Place, ...],
    name: str,
    most: float,
    load: float,
    strength: Mapping[str, float],
) -> Work:
    """most: GPU-hours that it would ask for in a day at full load."""
    kind, steady = KINDS[name], name == "inference"
    rate = {one.job_class: one for one in profile.growth.classes}.get(name)
    weekend, night = _rhythm(profile, name)
    idle = effect("idle_notebooks", strength.get("idle_notebooks", 0.0))
    base, more = BOTTLENECKS["serving_peak"].swing
    swing = base + more * strength.get("serving_peak", 0.0)
    if steady:
        night = round(min(1.0, max(LEAST_NIGHT, (1 / swing - PEAKED) / (1 - PEAKED))), 3)
    return Work(
        job_class=name,
        gpu_hours_day=round(most * load, 2),
        monthly=(rate.monthly_percent if rate else 0.0) / 100,
        uncertainty=(rate.uncertainty_percent if rate else 1.0) / 100,
        weekend=weekend,
        night=night,
        gpus=_sizes(kind, places),
        steady=steady,
        **picked(kind, "title hours sigma read_gbs burst_gbs cross_gbps io net priority"),
        **picked(kind, "wait_target_h save_h"),
        idle_h=round(idle, 2) if name == "interactive" else 0.0,
        quota=_quota(name, shares_of(profile)[name], load, strength),
        swing=round(swing, 3) if steady else 1.0,
        late_usd=kind.late_usd * profile.per_usd,
    )


def _quota(name: str, share: float, load: float, strength: Mapping[str, float]) -> float:
    """Part of the own GPUs that a class may hold at most, where that is fixed."""
    if name == "training" and "static_quota" in strength:
        return round(share * effect("static_quota", strength["static_quota"]), 3)
    if name == "inference" and "serving_peak" in strength:
        return round(share * load * effect("serving_peak", strength["serving_peak"]), 3)
    return 1.0


def _rhythm(profile: Profile, name: str) -> tuple[float, float]:
    """Weekend and night of the class, over the teams that do such work. Training runs through."""
    weights = [team.gpu_share * team.mix[name] for team in profile.teams]
    total = sum(weights) or 1.0
    weekend = sum(w * one.weekend for w, one in zip(weights, profile.teams, strict=True)) / total
    night = sum(w * one.night for w, one in zip(weights, profile.teams, strict=True)) / total
    return round(weekend, 3), round(night, 3)


def _sizes(kind: Kind, places: tuple[Place, ...]) -> dict[int, float]:
    """GPUs of a job -> part; whole nodes up to a third of the largest pool."""
    largest, nodes = max(
        ((of.gpus, count) for one in places for of, count in one.nodes if of.gpus),
        key=lambda pool: (pool[0] * pool[1], pool),
    )
    found = {int(size): part for size, part in kind.sizes.items() if int(size) < largest}
    many, step = 1, 0
    while step < len(kind.nodes) and many <= max(1, nodes // 3):
        found[many * largest] = kind.nodes[step]
        step, many = step + 1, many * (2 if nodes < 64 or step < 2 else 4)
    total = sum(found.values()) or 1.0
    return {size: round(part / total, 4) for size, part in found.items()}


def _loaded(
    found: list[Work], places: tuple[Place, ...], strength: Mapping[str, float]
) -> list[Work]:
    """With traffic such that storage and spine are as full as drawn."""
    gpus = {one.job_class: one.gpu_hours_day / 24 for one in found}
    bandwidth = sum(tier.bandwidth_gbs for one in places for tier in parallel(one)) or 1.0
    reads = sum(one.read_gbs * gpus[one.job_class] for one in found) or 1.0
    bursts = sum(one.burst_gbs * gpus[one.job_class] for one in found) or 1.0
    cross = sum(one.cross_gbps * gpus[one.job_class] for one in found) or 1.0
    parts = dict(PLAIN) | {key: effect(key, strength[key]) for key in PLAIN if key in strength}
    carried = places[0].uplinks * places[0].fabric.link_gbps * USABLE_UPLINK
    first = sum(count * kind.gpus for kind, count in places[0].nodes)
    part = first / sum(count * kind.gpus for one in places for kind, count in one.nodes)
    most = USED_PORT * places[0].fabric.link_gbps
    scale = min(parts["spine"] * carried / (cross * part), most)
    return [
        replace(
            one,
            read_gbs=round(one.read_gbs * parts["scratch_bandwidth"] * bandwidth / reads, 5),
            burst_gbs=round(one.burst_gbs * parts["checkpoint_bursts"] * bandwidth / bursts, 5),
            cross_gbps=round(one.cross_gbps * scale, 3),
        )
        for one in found
    ]


def parallel(one: Place) -> list[StorageTier]:
    """The tiers that jobs read from: the parallel ones, or the fastest where there is none."""
    found = [tier for tier in one.tiers if tier.kind == "parallel"]
    return found or sorted(one.tiers, key=lambda tier: tier.bandwidth_gbs)[-1:]
