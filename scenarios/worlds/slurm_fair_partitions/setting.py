"""From a company's profile and a level to one playable quarter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scenarios.company.profile import Profile
from scenarios.simulator.agenda import DAY, HOUR
from scenarios.simulator.streams import Stream
from scenarios.worlds import reading
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

TEAMS: Mapping[str, Sequence[Mapping[str, Any]]] = reading.table(__file__, "data.toml")["teams"]


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
    largest, small = TEAMS[depth][1], TEAMS[depth][3]
    return (
        Revision(at, 1, largest["guaranteed"] - 2, largest["shares"] - 5),
        Revision(at, 3, small["guaranteed"] + 2, small["shares"] + 5),
    )


def _team(row: Mapping[str, Any], gpu_hours: float) -> Team:
    rest = {key: value for key, value in row.items() if key not in ("users", "budget_share")}
    budget = float(round(row.get("budget_share", 0.0) * gpu_hours, -1))
    return Team(users=tuple(row["users"]), budget=budget, **rest)


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
    return ClusterConfig(
        cluster=profile.cluster,
        length=length,
        partitions=partitions,
        teams=tuple(_team(row, gpu_hours) for row in TEAMS[depth]),
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
