"""From a company's profile and a level's settings to one playable workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds.spot_checkpointing.config import (
    ClusterConfig,
    StoreConfig,
    TrainingConfig,
    Trouble,
    ZoneConfig,
)
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.families import draw_trouble

FOREVER = 10_000_000 * HOUR


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level decides. `plain`: steady prices, no throttled nodes and none that never join.

    `spikes` is how often each run's loss diverges, `silent` the share of corrupt checkpoints that
    load without an error. `budget` is the spending limit as a share of the on-demand price, 0 for
    none. Regions follow from the zones' names: east-1a lies in east-1.
    """

    hours: int
    zones: tuple[str, ...]
    quota_gb: int
    limit_gb: int
    trainings: tuple[TrainingConfig, ...]
    spikes: int = 0
    budget: float = 0.0
    silent: float = 0.0
    plain: bool = False

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions in the order of their first zone."""
        return tuple(dict.fromkeys(zone[:-1] for zone in self.zones))


_KEYS = {
    "hours",
    "zones",
    "quota_gb",
    "limit_gb",
    "trainings",
    "spikes",
    "budget",
    "silent",
    "plain",
}
_RUN_KEYS = {
    "name", "model", "checkpoint_gb", "steps", "step_s", "nodes", "least", "most", "deadline_h",
    "penalty_usd_h",
}  # fmt: skip


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError for a key that is wrong or missing."""
    for key in table:
        if key not in _KEYS:
            raise ValueError(f"The world spotrun has no setting {key}.")
    for key in ("hours", "zones", "quota_gb", "limit_gb", "trainings"):
        if key not in table:
            raise ValueError(f"The world spotrun needs the setting {key}.")
    found = Setting(
        int(table["hours"]),
        tuple(table["zones"]),
        int(table["quota_gb"]),
        int(table["limit_gb"]),
        tuple(_training(row) for row in table["trainings"]),
        int(table.get("spikes", 0)),
        float(table.get("budget", 0.0)),
        float(table.get("silent", 0.0)),
        bool(table.get("plain", False)),
    )
    _check(found)
    return found


def _training(row: Mapping[str, Any]) -> TrainingConfig:
    wrong = sorted(set(row) ^ _RUN_KEYS - {"penalty_usd_h"})
    if set(wrong) - {"penalty_usd_h"}:
        raise ValueError(
            f"A training of the world spotrun: the key {wrong[0]} is missing or unknown."
        )
    return TrainingConfig(
        name=str(row["name"]),
        model=str(row["model"]),
        checkpoint_gb=int(row["checkpoint_gb"]),
        steps=int(row["steps"]),
        step_ms=round(float(row["step_s"]) * SECOND),
        nodes=int(row["nodes"]),
        least=int(row["least"]),
        most=int(row["most"]),
        deadline=int(row["deadline_h"]) * HOUR,
        penalty=float(row.get("penalty_usd_h", 0.0)),
    )


def _check(setting: Setting) -> None:
    if not 12 <= setting.hours <= 240:
        raise ValueError("hours must be from 12 to 240.")
    if not 1 <= len(setting.zones) <= 4 or len(set(setting.zones)) != len(setting.zones):
        raise ValueError("zones must be one to four different names.")
    if not 1 <= len(setting.trainings) <= 3:
        raise ValueError("trainings must be one to three.")
    for run in setting.trainings:
        if not 1 <= run.least <= run.nodes <= run.most <= 8:
            raise ValueError(f"{run.name}: least, nodes and most must rise from 1 to 8.")
        if run.deadline > setting.hours * HOUR:
            raise ValueError(f"{run.name}: the deadline lies after the end of the workload.")


def cluster_config(profile: Profile, setting: Setting) -> ClusterConfig:
    """The cluster of a profile: every pool can hold all gangs at their largest and four more nodes."""
    most = sum(run.most for run in setting.trainings) + 4
    zones = tuple(
        ZoneConfig(name, name[:-1], profile.spot_node_hour, profile.ondemand_node_hour, most, most)
        for name in setting.zones
    )
    config = ClusterConfig(
        cluster=profile.cluster,
        gpu=profile.gpu_model,
        gpus_per_node=profile.gpus_per_node,
        zones=zones,
        trainings=setting.trainings,
        stores={
            region: StoreConfig(setting.quota_gb, setting.limit_gb) for region in setting.regions
        },
        overflow_price=profile.overflow_gpu_hour,
        budget=0.0,
        length=setting.hours * HOUR,
    )
    return replace(config, budget=round(setting.budget * config.ondemand_cost(), -1))


def _with_spikes(config: ClusterConfig, setting: Setting, seed: str) -> ClusterConfig:
    """Where each run's loss diverges: in its middle half, at other places for every seed."""
    stream = Stream(seed, "spikes")
    runs = tuple(
        replace(
            run,
            spikes=tuple(
                sorted(int(run.steps * stream.between(0.2, 0.75)) for _ in range(setting.spikes))
            ),
        )
        for run in config.trainings
    )
    return replace(config, trainings=runs)


def _plain(trouble: Trouble, config: ClusterConfig) -> Trouble:
    """A market that stands still, dry for an hour at most, and machines that work or do not."""
    prices = tuple(((0, zone.spot_price),) for zone in config.zones)
    means = tuple(min(mean, 20 * HOUR) for mean in trouble.reclaim_means)
    dry = tuple(
        tuple((begin, min(end, begin + HOUR)) for begin, end in spells) for spells in trouble.dry
    )
    return replace(
        trouble, prices=prices, dry=dry, reclaim_means=means, slow_mean=FOREVER, mute=0.0
    )


def open_run(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One workload of a family from a seed; KeyError for an unknown family."""
    config = _with_spikes(cluster_config(profile, setting), setting, seed)
    trouble = replace(draw_trouble(family, config, seed), silent=setting.silent)
    if setting.plain:
        trouble = _plain(trouble, config)
    return Episode(config, trouble, seed, faults=faults)
