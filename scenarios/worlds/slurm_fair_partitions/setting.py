"""From a company's profile and a level to one playable quarter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.simulator.streams import Stream
from scenarios.worlds.front import ApiFaults, apart, windows
from scenarios.worlds.slurm_fair_partitions.config import (
    INFERENCE,
    TRAINING,
    ClusterConfig,
    PartitionShape,
    Promise,
    Revision,
    Team,
    Trouble,
)
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.workload import FAMILIES, Drawing, Family

DEPTHS = ("gentle", "usual", "deep")

GENTLE = (
    Team("vision", 12, 35, ("amara", "bjorn", "chen"), 0.34, serves=0.3),
    Team("language", 16, 45, ("emeka", "freya", "goran", "hana"), 0.48, serves=0.7),
    Team("speech", 8, 20, ("ilse", "jonas"), 0.18),
)
USUAL = (
    Team("vision", 12, 30, ("amara", "bjorn", "chen", "dara"), 0.28, serves=0.25),
    Team("language", 14, 35, ("emeka", "freya", "goran", "hana"), 0.40, serves=0.25),
    Team("speech", 6, 15, ("ilse", "jonas", "kofi"), 0.14),
    Team("robotics", 4, 10, ("lena", "marek"), 0.10),
    Team("ranking", 4, 10, ("nadia", "oskar"), 0.08, serves=0.5),
)
DEEP = (
    Team("vision", 14, 24, ("amara", "bjorn", "chen", "dara"), 0.25, serves=0.2),
    Team("language", 18, 32, ("emeka", "freya", "goran", "hana"), 0.36, serves=0.2, budget=1.0),
    Team("speech", 8, 13, ("ilse", "jonas", "kofi"), 0.12, home=1),
    Team("robotics", 6, 10, ("lena", "marek"), 0.09, home=1, budget=1.0),
    Team("ranking", 4, 7, ("nadia", "oskar"), 0.07, serves=0.4),
    Team("nordbank", 8, 14, ("tenant1", "tenant2", "tenant3"), 0.11, serves=0.2, contract=True),
)
BUDGET_SHARE = {"language": 0.27, "robotics": 0.07}
"""Budgets as parts of all A100 GPU-hours of the quarter: a little below what the teams want."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level chooses: how deep the agreement is, and how long a quarter lasts here."""

    depth: str
    days: int


def read_setting(table: Mapping[str, Any]) -> Setting:
    """Check `[levels.X.settings]`; ValueError with one sentence for anything wrong."""
    for key in table:
        if key not in ("depth", "days"):
            raise ValueError(f"There is no setting {key}: this world has depth and days.")
    depth, days = table.get("depth"), table.get("days", 10)
    if depth not in DEPTHS:
        raise ValueError(f"depth is one of {', '.join(DEPTHS)}, not {depth!r}.")
    if type(days) is not int or not 4 <= days <= 20:
        raise ValueError("days is a whole number from 4 to 20.")
    return Setting(depth, days)


def _partitions(depth: str) -> tuple[PartitionShape, ...]:
    serving = PartitionShape("inference", INFERENCE, "lund", "t4", "tfr", 4)
    if depth == "deep":
        return (
            PartitionShape("train-lund", TRAINING, "lund", "a100", "lga", 10),
            PartitionShape("train-oulu", TRAINING, "oulu", "a100", "oga", 6),
            serving,
        )
    return PartitionShape("training", TRAINING, "lund", "a100", "lga", 12), serving


def _api(family: Family, depth: str, length: int, seed: str) -> ApiFaults:
    stream = Stream(seed, "api windows")
    days = length / DAY
    bad = 2.5 if family.failing else 1.5 if family.hostile else 1.0
    scale = bad * (0.5 if depth == "gentle" else 1.0)
    return ApiFaults(
        write_timeout=min(0.08, 0.03 * scale),
        read_timeout=min(0.02, 0.006 * scale),
        throttled=apart(windows(stream, round(0.5 * days * scale), 15, 60, length), HOUR // 2),
        stale=apart(windows(stream, round(0.7 * days * scale), 15, 60, length), HOUR // 2),
    )


def _trouble(family: Family, depth: str, length: int, seed: str) -> Trouble:
    mean = 5.0 * DAY / (4.0 if family.failing else 1.0)
    return Trouble(
        node_down=mean * (2.0 if depth == "gentle" else 1.0),
        api=_api(family, depth, length, seed),
    )


def _revisions(depth: str, length: int) -> tuple[Revision, ...]:
    """The quarterly review gives one small team more, and takes it from the largest."""
    if depth == "gentle":
        return ()
    at = (length // DAY) // 2 * DAY
    teams = DEEP if depth == "deep" else USUAL
    largest, small = teams[1], teams[3]
    return (
        Revision(at, 1, largest.guaranteed - 2, largest.shares - 5),
        Revision(at, 3, small.guaranteed + 2, small.shares + 5),
    )


def _promises(depth: str, length: int, seed: str) -> tuple[Promise, ...]:
    """Windows promised to a team for a demonstration, in the morning of some day."""
    if depth == "gentle":
        return ()
    stream, days = Stream(seed, "promises"), length // DAY
    first = int(stream.between(2, days // 2)) * DAY + 9 * HOUR
    made = [Promise("customer-demo", 0, 0, 3, first, 4 * HOUR)]
    if depth == "deep":
        second = int(stream.between(days // 2 + 1, days - 1)) * DAY + 13 * HOUR
        made.append(Promise("audit-rehearsal", 2, 1, 2, second, 5 * HOUR))
    return tuple(made)


def cluster_config(profile: Profile, setting: Setting, family: Family, seed: str) -> ClusterConfig:
    """The cluster of a level. Only its name is the company's: the exercise fixes the machines."""
    depth, length = setting.depth, setting.days * DAY
    partitions = _partitions(depth)
    gpu_hours = sum(p.gpus for p in partitions if p.purpose == TRAINING) * length / HOUR
    teams = {"gentle": GENTLE, "usual": USUAL, "deep": DEEP}[depth]
    teams = tuple(
        replace(team, budget=float(round(BUDGET_SHARE[team.name] * gpu_hours, -1)))
        if team.budget
        else team
        for team in teams
    )
    return ClusterConfig(
        cluster=profile.cluster,
        length=length,
        partitions=partitions,
        teams=teams,
        revisions=_revisions(depth, length),
        promises=_promises(depth, length, seed),
        leftover_reservation=1,
        scavenge=depth == "deep",
        trouble=_trouble(family, depth, length, seed),
    )


def _softened(family: Family, depth: str) -> Family:
    """The gentle level leaves more room and has calmer waves; the deep one has more to balance."""
    if depth == "gentle":
        return replace(family, load=0.92 * family.load, unevenness=0.75 * family.unevenness)
    if depth == "deep":
        return replace(family, load=0.96 * family.load, flood_tasks=family.flood_tasks * 3 // 4)
    return family


def open_quarter(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One quarter of a family from a seed; KeyError for an unknown family."""
    kind = _softened(FAMILIES[family], setting.depth)
    config = cluster_config(profile, setting, kind, seed)
    jobs = Drawing(kind, config, seed).jobs()
    return Episode(config, jobs, seed, faults=faults)
