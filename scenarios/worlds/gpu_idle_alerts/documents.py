"""What the pack's texts and materials take from the world: words, and one morning's outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from scenarios.company.profile import Profile
from scenarios.worlds import reading
from scenarios.worlds.gpu_idle_alerts import exports
from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.facts import patience
from scenarios.worlds.gpu_idle_alerts.fleet import GPUS
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
    world, gpu = Episode(profile, setting, "steady", "words").world, profile.gpu_model
    idle, top = gpu.idle_w, gpu.top_w
    watts = [idle * 1.12, idle * 1.45, idle * 1.62, top * 0.6, top * 0.86, top * 0.36, top * 0.43]
    found = reading.spoken(
        reading.table(__file__, "data.toml")["words"],
        profile=profile,
        setting=setting,
        gpu=gpu,
        kind=GPUS[gpu.name],
        half=top // 2,
        watts=[int(each) for each in watts],
        calls=Episode.reads_per_tick,
        patience=patience(world),
        price=profile.ondemand_node_hour / profile.gpus_per_node,
        gpus=sum(server.gpus for server in world.fleet.servers),
    )
    return tuple(found.items())


def words(profile: Profile, setting: Setting) -> dict[str, str]:
    """What the placeholders of a pack's texts stand for."""
    return dict(_words(profile, setting))
