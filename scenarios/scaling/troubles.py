"""What may hold work up in the present cluster: drawn, and each with where it shows and what takes it away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scenarios.company.profile import Profile
from scenarios.scaling.places import can_be_thin
from scenarios.scaling.scene import Bottleneck
from scenarios.simulator.streams import Stream


@dataclass(frozen=True, slots=True)
class Trouble:
    """One kind. family: troubles of one family do not come together; hard: it is of wires or disks."""

    key: str
    title: str
    family: str
    hard: bool
    shows: tuple[str, ...]
    cured_by: tuple[str, ...]


TROUBLES: Mapping[str, Trouble] = {
    one.key: one
    for one in (
        Trouble(
            "spine",
            "Too few uplinks between leaves and spines",
            "network",
            True,
            ("spine", "stretch_network"),
            ("spine", "topology_aware"),
        ),
        Trouble(
            "scratch_bandwidth",
            "Reads from parallel storage are at its bandwidth",
            "storage",
            True,
            ("storage_gbs", "stretch_storage"),
            ("storage", "cache_on_nvme"),
        ),
        Trouble(
            "checkpoint_bursts",
            "Checkpoints written at the same time fill parallel storage",
            "storage",
            True,
            ("burst_gbs", "storage_gbs"),
            ("checkpoint_to_nvme", "storage"),
        ),
        Trouble(
            "small_jobs",
            "Jobs of one or a few GPUs lie scattered, and whole nodes are never free",
            "small",
            False,
            ("stranded", "queued:training"),
            ("defragment", "mig_for_small"),
        ),
        Trouble(
            "idle_notebooks",
            "Sessions keep their GPUs for hours after their work",
            "idle",
            False,
            ("idle", "jobs:idle_h"),
            ("idle_notebook_limit_h", "mig_for_small"),
        ),
        Trouble(
            "serving_peak",
            "Serving has a fixed part of the GPUs, and its daily peak needs more",
            "serving",
            False,
            ("late", "running:inference"),
            ("serving_reserve_gpus", "preemption"),
        ),
        Trouble(
            "static_quota",
            "A fixed quota keeps training off GPUs that stand free",
            "quota",
            False,
            ("queued:training", "free"),
            ("share_idle_quota",),
        ),
    )
}


def drawn(
    profile: Profile, shares: Mapping[str, float], count: int, chance: Stream
) -> tuple[Bottleneck, ...]:
    """That many where the company has what they need; at least one of wires or disks, and one that is not."""
    able = [one for one in TROUBLES.values() if _fits(one.key, profile, shares)]
    order = sorted((chance.unit(), one.key) for one in able)
    found: list[Trouble] = []
    for kinds, most in (((True,), 1), ((False,), 2), ((False, True), count)):
        for _, key in order:
            one = TROUBLES[key]
            free = one.family not in {two.family for two in found}
            if one.hard in kinds and free and len(found) < min(most, count):
                found.append(one)
    strengths = {one.key: round(chance.between(0.6, 1.0), 3) for one in TROUBLES.values()}
    return tuple(
        Bottleneck(one.key, one.title, strengths[one.key], one.shows, one.cured_by) for one in found
    )


def _fits(key: str, profile: Profile, shares: Mapping[str, float]) -> bool:
    small = shares.get("interactive", 0) + shares.get("batch", 0) + shares.get("fine_tuning", 0)
    training = shares.get("training", 0)
    needs = {
        "spine": can_be_thin(profile) and training >= 0.15,
        "small_jobs": small >= 0.12 and training >= 0.1,
        "idle_notebooks": shares.get("interactive", 0) >= 0.04,
        "serving_peak": shares.get("inference", 0) >= 0.08 and shares.get("inference", 0) <= 0.6,
        "static_quota": 0.25 <= training <= 0.8,
    }
    return needs.get(key, True)
