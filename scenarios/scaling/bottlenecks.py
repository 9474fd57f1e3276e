"""What may hold work up in the present cluster: drawn, and each with where it shows and what takes it away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.company.profile import Profile
from scenarios.company.profile.tables import PolicyValue
from scenarios.scaling.content import rows
from scenarios.scaling.places import can_be_thin
from scenarios.scaling.scene import Bottleneck
from scenarios.simulator.streams import Stream

LEAST_STRENGTH = 0.6
"""A weaker one would not show in ninety days."""


@dataclass(frozen=True, slots=True)
class BottleneckKind:
    """One kind. family: those of one family do not come together; hard: it is of wires or disks.

    symptom, threshold, files: what is read of it in the history, from which percentage on it tells of the
    bottleneck, and where. figure: what it does to a month: name, unit, and where a year's month has it, keys
    apart by dots. policy, value: what a planner changes first. effect and, of serving, swing: a base
    and what a strength of 1 adds, of what the file says.
    """

    key: str
    title: str
    family: str
    hard: bool
    cured_by: tuple[str, ...]
    symptom: str
    threshold: float
    files: tuple[str, ...]
    figure: tuple[str, str, str]
    policy: str
    value: PolicyValue
    effect: tuple[float, float]
    swing: tuple[float, float] = (0.0, 0.0)


BOTTLENECKS: Mapping[str, BottleneckKind] = {
    row["key"]: BottleneckKind(**row) for row in rows("bottlenecks")
}


def effect(key: str, strength: float = 0.0) -> float:
    """What a bottleneck of that strength does to the cluster; 0 is where it is not planted."""
    base, more = BOTTLENECKS[key].effect
    return base + more * strength


def drawn(
    profile: Profile, shares: Mapping[str, float], count: int, chance: Stream
) -> tuple[Bottleneck, ...]:
    """That many where the company has what they need; at least one of wires or disks, and one that is not."""
    able = [one for one in BOTTLENECKS.values() if _fits(one.key, profile, shares)]
    order = sorted((chance.unit(), one.key) for one in able)
    found: list[BottleneckKind] = []
    for kinds, most in (((True,), 1), ((False,), 2), ((False, True), count)):
        for _, key in order:
            one = BOTTLENECKS[key]
            free = one.family not in {two.family for two in found}
            if one.hard in kinds and free and len(found) < min(most, count):
                found.append(one)
    strengths = {key: round(chance.between(LEAST_STRENGTH, 1.0), 3) for key in BOTTLENECKS}
    return tuple(Bottleneck(one.key, one.title, strengths[one.key], one.cured_by) for one in found)


def _fits(key: str, profile: Profile, shares: Mapping[str, float]) -> bool:
    """Whether there is work enough for it to show: parts of the GPU-hours."""
    part = {name: shares.get(name, 0.0) for name in ("training", "inference", "interactive")}
    small = part["interactive"] + shares.get("batch", 0) + shares.get("fine_tuning", 0)
    needs = {
        "spine": can_be_thin(profile) and part["training"] >= 0.15,
        "small_jobs": small >= 0.12 and part["training"] >= 0.1,
        "idle_notebooks": part["interactive"] >= 0.04,
        "serving_peak": 0.08 <= part["inference"] <= 0.6,
        "static_quota": 0.25 <= part["training"] <= 0.8,
    }
    return needs.get(key, True)
