"""From a company's profile and a family of days to one playable day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scenarios.profile import Profile
from scenarios.simulator.agenda import MINUTE
from scenarios.simulator.streams import Stream
from scenarios.worlds.elastic.config import PoolConfig, WorldConfig
from scenarios.worlds.elastic.episode import Episode
from scenarios.worlds.elastic.workload import FAMILIES, draw_jobs

FIRM_SHARE = 0.6
"""Part of the cluster's nodes that can be had on demand; the rest is spot."""


def world_config(profile: Profile) -> WorldConfig:
    """The elastic cluster of a profile: three fifths on demand, two fifths spot.

    Delays are of cloud GPU nodes with a prepared image: 8 to 15 minutes on demand, 6 to 12
    spot; four of a hundred starts fail on demand, ten of a hundred on spot (assumptions).
    """
    firm = round(profile.nodes * FIRM_SHARE)
    start = max(2, firm // 3)
    return WorldConfig(
        cluster=profile.cluster,
        gpu=profile.gpu_model,
        gpus_per_node=profile.gpus_per_node,
        overflow_price=profile.overflow_gpu_hour,
        pools=(
            PoolConfig(
                "ondemand", "od", False, 2, firm, start, profile.ondemand_node_hour,
                8 * MINUTE, 15 * MINUTE, 0.04,
            ),
            PoolConfig(
                "spot", "sp", True, 0, profile.nodes - firm, 0, profile.spot_node_hour,
                6 * MINUTE, 12 * MINUTE, 0.10,
            ),
        ),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level of a pack decides; an ordinary day of two pools has nothing to decide."""


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError for a key that there is not."""
    for key in table:
        raise ValueError(f"The world elastic has no setting {key}.")
    return Setting()


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for."""
    gpu = profile.gpu_model
    firm = round(profile.nodes * FIRM_SHARE)
    gpus = profile.nodes * profile.gpus_per_node
    return {
        "cluster": profile.cluster,
        "nodes": str(profile.nodes),
        "gpus": str(gpus),
        "gpus_per_node": str(profile.gpus_per_node),
        "gpu": profile.gpu,
        "gpu_product": gpu.product,
        "ondemand_max": str(firm),
        "ondemand_start": str(max(2, firm // 3)),
        "spot_max": str(profile.nodes - firm),
        "ondemand_price": f"{profile.ondemand_node_hour:.2f}",
        "spot_price": f"{profile.spot_node_hour:.2f}",
        "overflow_price": f"{profile.overflow_gpu_hour:.2f}",
        "healthy_mhz": f"{int(gpu.top_mhz * 0.89):,} to {gpu.top_mhz:,}",
        "throttled_mhz": f"{int(gpu.top_mhz * 0.6):,}",
        "idle_mhz": str(gpu.idle_mhz),
    }


def open_day(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One day of a family from a seed; KeyError for an unknown family."""
    kind = FAMILIES[family]
    config = world_config(profile)
    trouble = kind.trouble(config.faults, Stream(seed, "trouble"))
    config = replace(config, faults=trouble)
    return Episode(config, draw_jobs(kind, config, seed), seed, faults=faults)
