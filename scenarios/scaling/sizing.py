"""What a planner can reckon without playing: GPUs that demand needs by month, and traffic that they make."""

from __future__ import annotations

from scenarios.scaling.estate import Standing
from scenarios.scaling.policies import Held
from scenarios.scaling.scene import Scene, Work
from scenarios.scaling.speeds import speed
from scenarios.scaling.traffic import BUFFERED, CACHED, LOCAL

MEAN_IDLE, MEAN_LENGTH = 1.2, 1.25
"""Mean over median of log-normal sessions: about exp(sigma² / 2)."""
UP = 0.989
"""Part of the nodes that works: the others have failed and are being mended."""


def grown(scene: Scene, work: Work, month: int, sigmas: float = 0.0) -> float:
    """GPU-hours a day that a class asks for in the middle of a month, so many deviations above the median."""
    found: float = work.gpu_hours_day * (1 + work.monthly + sigmas * work.uncertainty) ** (
        month + 0.5
    )
    for event in scene.events:
        if event.kind == "launch" and event.subject == work.job_class and month >= event.month:
            found *= event.factor
    return found


def needed(scene: Scene, held: Held, month: int, sigmas: float = 0.0) -> dict[str, float]:
    """Class -> GPUs of the fleet's model that it holds on average in a month, with what sessions hold idle."""
    found = {}
    for work in scene.work:
        gpus = grown(scene, work, month, sigmas) / 24
        if work.idle_h:
            idle = (
                min(work.idle_h, held.idle_limit_h)
                if held.idle_limit_h
                else MEAN_IDLE * work.idle_h
            )
            gpus *= 1 + idle / (MEAN_LENGTH * work.hours)
        found[work.job_class] = gpus
    return found


def capacity(scene: Scene, standing: tuple[Standing, ...]) -> float:
    """GPUs of the fleet's model that the own nodes of a month come to."""
    return UP * sum(
        group.used * group.kind.gpus * speed(group.kind.gpu, scene.profile.gpu)
        for there in standing
        for group in there.groups
    )


def storage_gbs(scene: Scene, held: Held, month: int) -> float:
    """Mean traffic of storage, GB/s, if all that is asked for runs on own GPUs."""
    total = 0.0
    for work in scene.work:
        gpus = grown(scene, work, month) / 24
        reads = work.read_gbs * (CACHED if held.cache else 1.0)
        bursts = work.burst_gbs * (BUFFERED if held.nvme_checkpoints else 1.0)
        total += gpus * (reads + bursts)
    return total


def spine_gbps(scene: Scene, held: Held, month: int) -> float:
    """Mean traffic over the spines, Gb/s, if all that is asked for runs on own GPUs."""
    total = sum(work.cross_gbps * grown(scene, work, month) / 24 for work in scene.work)
    return total * (LOCAL if held.topology else 1.0)
