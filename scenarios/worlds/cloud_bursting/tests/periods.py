"""Small primaries and hand-made jobs for tests of the burst world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scenarios.company.profile import DEFAULT
from scenarios.simulator.agenda import DAY, HOUR, MINUTE
from scenarios.worlds.cloud_bursting.episode import Episode
from scenarios.worlds.cloud_bursting.setting import Setting, burst_config
from scenarios.worlds.cloud_bursting.shape import BurstConfig, Trouble
from scenarios.worlds.cloud_bursting.workload import HIGH, LOW, NORMAL, JobSpec
from scenarios.worlds.front import ApiFaults

NEVER = 10**15
CALM = Trouble(preempt_mean=NEVER, node_mean=NEVER)
BOTH = ("kestrel", "plover")

__all__ = ["BOTH", "CALM", "DAY", "HIGH", "HOUR", "LOW", "MINUTE", "NEVER", "NORMAL", "Episode"]


def small(nodes: int = 2, trouble: Trouble = CALM, **changes: Any) -> BurstConfig:
    """A primary of so many nodes, both remote clouds, no failed start, no threshold, no trouble."""
    config = burst_config(DEFAULT, Setting(clouds=BOTH, residency="regions", drivers=True))
    remotes = tuple(replace(shape, start_failure=0.0) for shape in config.remotes)
    config = replace(
        config,
        nodes=nodes,
        remotes=remotes,
        trouble=trouble,
        faults=ApiFaults(0.0, 0.0),
        threshold_gpu_hours=0.0,
        length=2 * DAY,
    )
    return replace(config, **changes)


def job(
    gpus: int = 8,
    minutes: int = 120,
    at: int = 0,
    priority: int = LOW,
    every: int = 20,
    **changes: Any,
) -> JobSpec:
    """A job in minutes whose limit is its run time; it has little data and may go anywhere."""
    made = JobSpec(
        at * MINUTE,
        priority,
        gpus,
        minutes * MINUTE,
        minutes * MINUTE,
        every * MINUTE,
        False,
        "search",
        1,
        1,
        "",
        525,
    )
    return replace(made, **changes)


def calm(*jobs: JobSpec, config: BurstConfig | None = None) -> Episode:
    """A period without trouble, with the first tick gone."""
    specs = sorted(jobs, key=lambda spec: spec.submit)
    episode = Episode(config or small(), specs, "test", faults=False)
    episode.tick()
    return episode


def ticks(episode: Episode, count: int) -> None:
    """Let so many ticks pass."""
    for _ in range(count):
        episode.tick()


def rules(episode: Episode) -> list[str]:
    """Names of the rules broken so far."""
    return [rule for _, rule, _ in episode.broker.ledger.broken]
