"""What the pack's texts and materials take from the world: words, and one morning's outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.worlds.gpu_idle_alerts import exports
from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.facts import patience
from scenarios.worlds.gpu_idle_alerts.fleet import MAX_OPERATING_C, MIG_NAMES
from scenarios.worlds.gpu_idle_alerts.logs import head_length, job_lines
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR, Setting

MORNING = 2 * DAY + 10 * HOUR + 3
"""Wednesday, half past ten."""
LATEST = 5 * DAY


@lru_cache(maxsize=16)
def morning(profile: Profile, setting: Setting, seed: str) -> Episode:
    """The servers on Wednesday morning, or as soon after as a crashed job holds GPUs."""
    days = Episode(profile, setting, "steady", f"{seed} sample", faults=False)
    while days.world.tick < MORNING or (_crashed(days) is None and days.world.tick < LATEST):
        days.tick()
    return days


def _crashed(days: Episode) -> int | None:
    """The first job that has crashed and still holds its GPUs."""
    for number, job in sorted(days.world.jobs.items()):
        if job.fate == "crashed_job" and days.world.tick - job.started > job.turn:
            return number
    return None


def metrics(profile: Profile, setting: Setting, seed: str) -> str:
    """One scrape of dcgm-exporter."""
    return exports.metrics(morning(profile, setting, seed))


def squeue(profile: Profile, setting: Setting, seed: str) -> str:
    """The scheduler's queue at the same time."""
    return exports.squeue(morning(profile, setting, seed))


def sacct(profile: Profile, setting: Setting, seed: str) -> str:
    """Accounting of the days so far."""
    return exports.sacct(morning(profile, setting, seed))


def job_log(profile: Profile, setting: Setting, seed: str) -> str:
    """The output of a job that crashed and still holds its GPUs."""
    days = morning(profile, setting, seed)
    number = _crashed(days)
    job = days.world.jobs[number] if number is not None else next(iter(days.world.jobs.values()))
    lines = [text for text, _ in job_lines(days.world, job)]
    lines.insert(head_length(days.world, job), "[...]")
    return "\n".join(lines) + "\n"


DOCUMENTS: Mapping[str, Callable[[Profile, Setting, str], str]] = {
    "metrics.prom": metrics,
    "squeue.txt": squeue,
    "sacct.txt": sacct,
    "job.log": job_log,
}


@lru_cache(maxsize=64)
def _words(profile: Profile, setting: Setting) -> tuple[tuple[str, str], ...]:
    world = Episode(profile, setting, "steady", "words").world
    gpu = profile.gpu_model
    big, small = MIG_NAMES[gpu.name]
    found = {
        "cluster": profile.cluster,
        "gpu": gpu.name,
        "gpu_product": gpu.product,
        "memory_mib": f"{gpu.memory_mib:,}",
        "memory_plain": str(gpu.memory_mib),
        "power_limit": str(gpu.top_w),
        "half_power": str(gpu.top_w // 2),
        "idle_power": f"{gpu.idle_w} to {int(gpu.idle_w * 1.12)}",
        "held_power": f"{int(gpu.idle_w * 1.45)} to {int(gpu.idle_w * 1.62)}",
        "busy_power": f"{int(gpu.top_w * 0.6)} to {int(gpu.top_w * 0.86)}",
        "stalled_power": f"{int(gpu.top_w * 0.36)} to {int(gpu.top_w * 0.43)}",
        "idle_mhz": str(gpu.idle_mhz),
        "top_mhz": f"{gpu.top_mhz:,}",
        "max_temperature": str(MAX_OPERATING_C[gpu.name]),
        "mig_big": big,
        "mig_small": small,
        "days": str(setting.days),
        "ticks": f"{setting.ticks:,}",
        "calls": str(Episode.reads_per_tick),
        "patience": str(patience(world)),
        "gpu_hour": f"{profile.ondemand_node_hour / profile.gpus_per_node:.2f}",
        "gpus": str(sum(server.gpus for server in world.fleet.servers)),
    }
    return tuple(found.items())


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for."""
    return dict(_words(profile, setting))
