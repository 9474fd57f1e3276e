"""Demand before the year: how much of each class the teams ask for, and what its jobs are like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scenarios.company.profile import Profile
from scenarios.company.profile.tables import JOB_CLASSES, StorageTier
from scenarios.scaling.assumptions import USABLE_UPLINK
from scenarios.scaling.content import rows
from scenarios.scaling.scene import Bottleneck, Place, Work
from scenarios.scaling.speeds import speed

LEAST_SHARE = 0.004
"""A class with less of the GPU-hours is left out."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is assumed of a class of work, as `texts/work.toml` has it and says of each field."""

    job_class: str
    title: str
    read: float
    cross: float
    io: float
    priority: int
    target_h: float
    hours: float = 0.0
    sigma: float = 0.0
    sizes: Mapping[str, float] = field(default_factory=dict)
    nodes: tuple[float, ...] = ()
    burst: float = 0.0
    net: float = 0.0
    save_h: float = 1.0


KINDS: Mapping[str, Kind] = {row["job_class"]: Kind(**row) for row in rows("work")}
_PLAIN_STORAGE, _PLAIN_SPINE = 0.45, 0.40
"""Mean load of storage and spine over what they carry where neither is a bottleneck."""
PLAIN_IDLE_H = 0.5
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
    idle = PLAIN_IDLE_H + 9.0 * strength.get("idle_notebooks", 0) if name == "interactive" else 0.0
    swing = 1.25 + 0.75 * strength.get("serving_peak", 0.0)
    if steady:
        night = round(min(1.0, max(0.05, (1 / swing - PEAKED) / (1 - PEAKED))), 3)
    return Work(
        job_class=name,
        gpu_hours_day=round(most * load, 2),
        monthly=(rate.monthly_percent if rate else 0.0) / 100,
        uncertainty=(rate.uncertainty_percent if rate else 1.0) / 100,
        weekend=weekend,
        night=night,
        gpus=_sizes(kind, places),
        hours=kind.hours,
        sigma=kind.sigma,
        read_gbs=kind.read,
        burst_gbs=kind.burst,
        cross_gbps=kind.cross,
        priority=kind.priority,
        wait_target_h=kind.target_h,
        steady=steady,
        title=kind.title,
        io=kind.io,
        net=kind.net,
        idle_h=round(idle, 2),
        quota=_quota(name, shares_of(profile)[name], load, strength),
        save_h=kind.save_h,
        swing=round(swing, 3) if steady else 1.0,
    )


def _quota(name: str, share: float, load: float, strength: Mapping[str, float]) -> float:
    """Part of the own GPUs that a class may hold at most, where that is fixed."""
    if name == "training" and "static_quota" in strength:
        return round(share * (1.02 - 0.22 * strength["static_quota"]), 3)
    if name == "inference" and "serving_peak" in strength:
        return round(share * load * (1.45 - 0.25 * strength["serving_peak"]), 3)
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
    read_part, burst_part = _PLAIN_STORAGE - 0.12, 0.12
    if "scratch_bandwidth" in strength:
        read_part = 0.45 + 0.40 * strength["scratch_bandwidth"]
    if "checkpoint_bursts" in strength:
        burst_part = 0.20 + 0.34 * strength["checkpoint_bursts"]
    spine = _PLAIN_SPINE
    if "spine" in strength:
        spine = 0.45 + 0.42 * strength["spine"]
    carried = places[0].uplinks * places[0].fabric.link_gbps * USABLE_UPLINK
    first = sum(count * kind.gpus for kind, count in places[0].nodes)
    part = first / sum(count * kind.gpus for one in places for kind, count in one.nodes)
    most = 0.7 * places[0].fabric.link_gbps  # of a GPU's own port
    scale = min(spine * carried / (cross * part), most)
    return [
        replace(
            one,
            read_gbs=round(one.read_gbs * read_part * bandwidth / reads, 5),
            burst_gbs=round(one.burst_gbs * burst_part * bandwidth / bursts, 5),
            cross_gbps=round(one.cross_gbps * scale, 3),
        )
        for one in found
    ]


def parallel(one: Place) -> list[StorageTier]:
    """The tiers that jobs read from: the parallel ones, or the fastest where there is none."""
    found = [tier for tier in one.tiers if tier.kind == "parallel"]
    return found or sorted(one.tiers, key=lambda tier: tier.bandwidth_gbs)[-1:]
