"""Small training weeks, calm or troubled, and a hand that works their controls."""

from __future__ import annotations

from dataclasses import replace

from scenarios.company.profile import DEFAULT
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.spot_checkpointing.config import TrainingConfig, Trouble
from scenarios.worlds.spot_checkpointing.episode import Episode
from scenarios.worlds.spot_checkpointing.setting import Setting, cluster_config, open_run

NEVER = 10_000_000.0 * HOUR
RUN = TrainingConfig("tune", "13B", 182, 3000, 3600, 4, 4, 4, 12 * HOUR)
ONE_ZONE = Setting(12, ("east-1a",), 1200, 2400, (RUN,))
TWO_ZONES = replace(ONE_ZONE, zones=("east-1a", "east-1b"))
TWO_REGIONS = replace(ONE_ZONE, zones=("east-1a", "west-2a"))
ELASTIC = replace(ONE_ZONE, trainings=(replace(RUN, least=2, most=6),))
SPOT = "spot-east-1a"


def calm_trouble(zones: int = 1) -> Trouble:
    """A market and machines in which nothing ever goes wrong; spot costs 10 USD."""
    return Trouble(
        prices=(((0, 10.0),),) * zones,
        dry=((),) * zones,
        reclaim_means=(NEVER,) * zones,
        down_mean=NEVER,
        slow_mean=NEVER,
        mute=0.0,
        start_failure=0.0,
        shortage=0.0,
        corrupt=0.0,
        failed_save=0.0,
        stale_pointer=0.0,
    )


def calm(setting: Setting = ONE_ZONE, **changes: object) -> Episode:
    """A week without trouble but for `changes`, fields of `Trouble`."""
    config = cluster_config(DEFAULT, setting)
    trouble = replace(calm_trouble(len(setting.zones)), **changes)  # type: ignore[arg-type]
    return Episode(config, trouble, "test", faults=False)


def troubled(setting: Setting, family: str, seed: str = "troubled") -> Episode:
    """A week of a family, API faults included."""
    return open_run(DEFAULT, setting, family, seed)


def pass_minutes(week: Episode, minutes: int) -> None:
    """Let time pass to the minute, whatever wakes."""
    week.world.advance(week.world.now + minutes * MINUTE, wake=False)


def nodes_up(week: Episode, pool: str = SPOT, count: int = 4) -> list[str]:
    """`count` nodes of the pool, up."""
    week.controls.scale(pool, count)
    pass_minutes(week, 12)
    zone = pool.partition("-")[2]
    found = [week.world.machines.nodes[n] for n in week.world.machines.alive]
    return [node.name for node in found if node.name.startswith(zone)][:count]


def training(week: Episode, checkpoint: str = "", pool: str = SPOT, count: int = 4) -> list[str]:
    """A gang that trains."""
    gang = nodes_up(week, pool, count)
    week.controls.launch("tune", gang, checkpoint)
    pass_minutes(week, 3)
    assert week.world.trainings[0].state == "training"
    return gang


def saved(week: Episode) -> str:
    """Name of a complete checkpoint of the present step."""
    made = str(week.controls.save("tune", "sync")["checkpoint"])
    pass_minutes(week, 2)
    return made
