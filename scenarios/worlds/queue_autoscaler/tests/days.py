"""Small clusters and hand-made jobs for tests of the elastic world."""

from __future__ import annotations

from dataclasses import replace

from scenarios.company.profile import DEFAULT
from scenarios.simulator.agenda import HOUR, MINUTE
from scenarios.worlds.queue_autoscaler.config import FaultConfig, WorldConfig
from scenarios.worlds.queue_autoscaler.episode import Episode
from scenarios.worlds.queue_autoscaler.setting import world_config
from scenarios.worlds.queue_autoscaler.workload import HIGH, LOW, NORMAL, JobSpec

NEVER = 1e15
CALM = FaultConfig(
    down_mean=NEVER,
    slow_mean=NEVER,
    reclaim_mean=NEVER,
    shortage=0.0,
    write_timeout=0.0,
    read_timeout=0.0,
)

__all__ = ["CALM", "HIGH", "HOUR", "LOW", "MINUTE", "NORMAL", "Episode", "calm", "job", "small"]


def small(firm: int = 2, spot: int = 0, faults: FaultConfig = CALM) -> WorldConfig:
    """`firm` on-demand and `spot` spot nodes of 8 GPUs, all up at once; room for four each."""
    config = world_config(DEFAULT)
    pools = tuple(
        replace(pool, least=0, most=4, start=start, start_failure=0.0)
        for pool, start in zip(config.pools, (firm, spot), strict=True)
    )
    return replace(config, pools=pools, faults=faults)


def job(
    gpus: int,
    minutes: int,
    at: int = 0,
    priority: int = NORMAL,
    spot: bool = False,
    every: int = 0,
    limit: int | None = None,
    protected: bool = False,
) -> JobSpec:
    """A job in minutes; its limit is its run time unless given."""
    limit = minutes if limit is None else limit
    return JobSpec(
        at * MINUTE,
        priority,
        gpus,
        minutes * MINUTE,
        limit * MINUTE,
        spot,
        every * MINUTE,
        protected,
    )


def calm(*jobs: JobSpec, firm: int = 2, spot: int = 0) -> Episode:
    """A day without trouble."""
    specs = sorted(jobs, key=lambda spec: spec.submit)
    return Episode(small(firm, spot), specs, "test", faults=False)
