"""From a company's profile and a level's settings to one playable workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import HOUR, SECOND
from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
from scenarios.worlds.reading import Between
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
MOST_NODES = 8
"""Of one gang."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level decides. `plain`: steady prices, no throttled nodes and none that never join.

    `spikes` is how often each run's loss diverges, `silent` the share of corrupt checkpoints that
    load without an error. `budget` is the spending limit as a share of the on-demand price, 0 for
    none. Regions follow from the zones' names: east-1a lies in east-1.
    """

    hours: Annotated[int, Between(12, 240)]
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


def read_setting(table: Mapping[str, Any]) -> Setting:
    """A level's `[levels.X.settings]`. Raises ValueError for a key that is wrong or missing."""
    lists = {
        "zones": tuple(table.get("zones", ())),
        "trainings": tuple(_training(row) for row in table.get("trainings", ())),
    }
    found = reading.settings(Setting, {**table, **{k: v for k, v in lists.items() if k in table}})
    if not 1 <= len(found.zones) <= 4 or len(set(found.zones)) != len(found.zones):
        raise ValueError("zones must be one to four different names.")
    if not 1 <= len(found.trainings) <= 3:
        raise ValueError("trainings must be one to three.")
    for run in found.trainings:
        if not 1 <= run.least <= run.nodes <= run.most <= MOST_NODES:
            raise ValueError(f"{run.name}: least, nodes and most must rise from 1 to {MOST_NODES}.")
        if run.deadline > found.hours * HOUR:
            raise ValueError(f"{run.name}: the deadline lies after the end of the workload.")
    return found


def _training(row: Mapping[str, Any]) -> TrainingConfig:
    """A run from its table, which gives its times in s and h."""
    units = {"step_s": ("step_ms", SECOND), "deadline_h": ("deadline", HOUR)}
    values = {key: value for key, value in row.items() if key not in units}
    values |= {to: round(row[key] * unit) for key, (to, unit) in units.items() if key in row}
    if "penalty_usd_h" in values:
        values["penalty"] = values.pop("penalty_usd_h")
    return reading.settings(TrainingConfig, values)


def cluster_config(profile: Profile, setting: Setting) -> ClusterConfig:
    """The cluster of a profile: every pool can hold all gangs at their largest and four more nodes."""
    most = sum(run.most for run in setting.trainings) + 4
    prices = profile.spot_node_hour, profile.ondemand_node_hour
    store = StoreConfig(setting.quota_gb, setting.limit_gb)
    store = replace(store, transfer=store.transfer * profile.per_usd)
    config = ClusterConfig(
        cluster=profile.cluster,
        gpu=profile.gpu_model,
        gpus_per_node=profile.gpus_per_node,
        zones=tuple(ZoneConfig(name, name[:-1], *prices, most, most) for name in setting.zones),
        trainings=tuple(
            replace(one, penalty=one.penalty * profile.per_usd) for one in setting.trainings
        ),
        stores=dict.fromkeys(setting.regions, store),
        overflow_price=profile.overflow_gpu_hour,
        budget=0.0,
        length=setting.hours * HOUR,
    )
    return replace(config, budget=round(setting.budget * config.ondemand_cost, -1))


def _with_spikes(config: ClusterConfig, setting: Setting, seed: str) -> ClusterConfig:
    """Where each run's loss diverges: in its middle half, at other places for every seed."""
    stream = Stream(seed, "spikes")

    def spikes(run: TrainingConfig) -> tuple[int, ...]:
        return tuple(
            sorted(int(run.steps * stream.between(0.2, 0.75)) for _ in range(setting.spikes))
        )

    runs = tuple(replace(run, spikes=spikes(run)) for run in config.trainings)
    return replace(config, trainings=runs)


def _plain(trouble: Trouble, config: ClusterConfig) -> Trouble:
    """A market that stands still, dry for an hour at most, and machines that work or do not."""
    return replace(
        trouble,
        prices=tuple(((0, zone.spot_price),) for zone in config.zones),
        dry=tuple(
            tuple((begin, min(end, begin + HOUR)) for begin, end in spells)
            for spells in trouble.dry
        ),
        reclaim_means=tuple(min(mean, 20 * HOUR) for mean in trouble.reclaim_means),
        slow_mean=FOREVER,
        mute=0.0,
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
