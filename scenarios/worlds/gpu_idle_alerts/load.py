"""What a job does to its GPUs from tick to tick, and what their sensors show; knows no rule.

Readings of an H100 in the ranges of the domain handbook (2.1, 2.2): idle 65 to 100 W and 25 to
38 °C; a process that only holds memory keeps the clocks up and draws a little more; training
55 to 72 °C at 60 to 86 % of the board power; a rank that waits inside a collective shows 100 %
utilisation at 36 to 43 % of it.
"""

from __future__ import annotations

from enum import IntEnum

from scenarios.company.profile import GpuModel
from scenarios.worlds.gpu_idle_alerts.jobs import Job
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR

KEPT_WORK_AFTER = 4 * HOUR
"""An owner who asks to keep an idle job uses it again after this long."""
CONTEXT_MIB = 430
"""What a process holds that has opened the GPU and put nothing on it."""


class Phase(IntEnum):
    """What one GPU of a job goes through."""

    WORK = 0
    MIXED = 1
    BURST = 2
    PAUSE = 3
    CONTEXT = 4
    HELD = 5
    STALLED = 6
    NOTHING = 7


def noise(a: int, b: int, c: int) -> float:
    """A number in [0, 1) that depends on its arguments only."""
    mixed = (a * 7919 + b * 104_729 + c * 1_299_709 + 12_345) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 0x5BD1E995) & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 15)) % 10_000) / 10_000


def is_up(job: Job, tick: int) -> bool:
    """Whether a job that pauses by the hour of the day is at work."""
    if job.fate == "nightly":
        return (tick % DAY - job.hour * HOUR) % DAY < job.every
    return 8 * HOUR <= tick % DAY < 21 * HOUR


def phase(job: Job, place: int, tick: int) -> Phase:
    """What the job's GPU number `place` is going through at the tick."""
    age, fate = tick - job.started, job.fate
    if job.fixed >= 0 and tick >= job.fixed:
        return Phase.WORK
    if fate in ("slow_input", "bursty"):
        return Phase.BURST if (age + place) % job.every == job.every - 1 else Phase.PAUSE
    if fate == "over_request":
        return Phase.WORK if place == 0 else Phase.NOTHING
    if fate == "nightly":
        return Phase.WORK if is_up(job, tick) else Phase.NOTHING
    if fate == "notebook":
        return Phase.MIXED if is_up(job, tick) else Phase.HELD
    if fate == "prep":
        return Phase.CONTEXT if age < job.turn else Phase.WORK
    if fate in _TURNED and age >= job.turn:
        if job.kept >= 0 and tick >= job.kept + KEPT_WORK_AFTER:
            return Phase.MIXED
        return _TURNED[fate]
    return Phase.MIXED if fate in ("mixed", "idle_process") else _STEADY.get(fate, Phase.WORK)


_TURNED = {
    "crashed_job": Phase.NOTHING,
    "idle_process": Phase.HELD,
    "zombie_process": Phase.HELD,
    "hung_collective": Phase.STALLED,
}
_STEADY = {"serve": Phase.PAUSE}


def utilisation(job: Job, place: int, tick: int, now: Phase) -> int:
    """Mean of `DCGM_FI_DEV_GPU_UTIL` over the ten minutes that end at the tick, in percent."""
    if now >= Phase.CONTEXT:
        return 100 if now == Phase.STALLED else 0
    if now == Phase.PAUSE:
        return int(3 + 9 * noise(job.id, place, tick)) if job.fate == "serve" else 0
    if now == Phase.WORK:
        return 88 + int(11 * noise(job.id, place, tick))
    if now == Phase.MIXED:
        return 38 + int(40 * noise(job.id, place, tick))
    return min(99, job.level + int(5 * noise(job.id, place, tick)) - 2)


def memory(job: Job, now: Phase, total: int) -> int:
    """MiB that the job holds on a GPU (or slice) of `total` MiB."""
    if now == Phase.NOTHING:
        return 0
    return CONTEXT_MIB if now == Phase.CONTEXT else int(job.memory * total)


def has_process(now: Phase) -> bool:
    """Whether a process of the job has the GPU open."""
    return now != Phase.NOTHING


def power(gpu: GpuModel, now: Phase, util: int, salt: int, tick: int) -> int:
    """Mean board power over the ten minutes in W."""
    a = noise(salt, tick, 7)
    if now == Phase.STALLED:
        return int(gpu.top_w * (0.36 + 0.07 * a))
    if util > 0:
        share = 0.6 + 0.26 * a
        return int(gpu.idle_w * 1.5 + (gpu.top_w * share - gpu.idle_w * 1.5) * min(1, util / 88))
    held = now in (Phase.HELD, Phase.PAUSE, Phase.CONTEXT)
    return int(gpu.idle_w * (1.45 if held else 1.0) * (1 + 0.12 * a))


def temperature(now: Phase, util: int, salt: int, tick: int) -> int:
    """GPU temperature in °C."""
    a = noise(salt, tick, 8)
    if now == Phase.STALLED:
        return 45 + int(6 * a)
    return 28 + int(5 * a) + int(32 * util / 100) + (4 if now != Phase.NOTHING else 0)


def clock(gpu: GpuModel, now: Phase, util: int, salt: int, tick: int) -> int:
    """SM clock in MHz: at the top while any process has the GPU open, down when none has."""
    if now == Phase.NOTHING:
        return gpu.idle_mhz
    if util == 0:
        return gpu.top_mhz
    return int(gpu.top_mhz * (0.9 + 0.1 * noise(salt, tick, 9))) // 15 * 15
