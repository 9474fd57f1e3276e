"""Small, calm clusters for tests: three A100 nodes, one T4 node, two teams."""

from __future__ import annotations

from dataclasses import replace

from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.front import ApiFaults
from scenarios.worlds.slurm_fair_partitions.config import (
    INFERENCE,
    TRAINING,
    ClusterConfig,
    PartitionShape,
    Promise,
    Team,
    Trouble,
)
from scenarios.worlds.slurm_fair_partitions.episode import Episode
from scenarios.worlds.slurm_fair_partitions.workload import JobSpec, Kind

CALM = Trouble(node_down=1e18, api=ApiFaults(0.0, 0.0))


def config(**changes: object) -> ClusterConfig:
    """Twelve A100 for red (8 guaranteed) and blue (4), four T4; nothing fails."""
    plain = ClusterConfig(
        cluster="test",
        length=2 * DAY,
        partitions=(
            PartitionShape("training", TRAINING, "lund", "a100", "a", 3),
            PartitionShape("inference", INFERENCE, "lund", "t4", "t", 1),
        ),
        teams=(
            Team("red", 8, 2, ("ann", "bob"), 1.0, serves=1.0),
            Team("blue", 4, 1, ("cid",), 1.0),
        ),
        trouble=CALM,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def job(
    gpus: int,
    minutes: int,
    at: int = 0,
    user: int = 0,
    kind: Kind = Kind.TRAIN,
    limit: int = 0,
    **more: object,
) -> JobSpec:
    """A job of red's ann (0), red's bob (1) or blue's cid (2); times in minutes."""
    ask = (limit or minutes) * MINUTE
    team = 1 if user == 2 else 0
    plain = JobSpec(at * MINUTE, user, team, kind, "train-1", gpus, minutes * MINUTE, ask, ask)
    return replace(plain, **more)  # type: ignore[arg-type]


def calm(*specs: JobSpec, **changes: object) -> Episode:
    """A quarter of these jobs, in which no call and no node fails."""
    return Episode(config(**changes), list(specs), "test", faults=False)


def play(quarter: Episode, hours: float) -> Episode:
    """Let time pass with nobody in control."""
    until = quarter.world.now + hours * HOUR
    while quarter.world.now < until:
        quarter.tick()
    return quarter


def started(quarter: Episode) -> list[int]:
    """Begin of each job's first run in minutes; -1 if it has not run."""
    first: dict[int, int] = {}
    for run in quarter.world.ledger.runs:
        first.setdefault(run.job.id, run.begin // MINUTE)
    return [first.get(each.id, -1) for each in quarter.world.jobs]


__all__ = [
    "CALM",
    "DAY",
    "HOUR",
    "MINUTE",
    "Kind",
    "Promise",
    "calm",
    "config",
    "job",
    "play",
    "started",
]
