"""From a company's profile and a family of days to one playable day."""

from __future__ import annotations

from dataclasses import replace

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


def open_day(profile: Profile, family: str, seed: str, *, faults: bool = True) -> Episode:
    """One day of a family from a seed; KeyError for an unknown family."""
    kind = FAMILIES[family]
    config = world_config(profile)
    trouble = kind.trouble(config.faults, Stream(seed, "trouble"))
    config = replace(config, faults=trouble)
    return Episode(config, draw_jobs(kind, config, seed), seed, faults=faults)
