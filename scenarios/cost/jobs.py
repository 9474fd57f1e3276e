"""The year's jobs on our own GPUs and in the cloud's burst pools, with the waste that levers find in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

from scenarios.company.profile.tables import JOB_CLASSES, Team
from scenarios.cost.draw import DISPLACED, Month, Scene
from scenarios.cost.endings import FAILURES, KINDS, STEP, ended
from scenarios.cost.job import Job
from scenarios.cost.placing import placed
from scenarios.cost.seasons import of_day, season
from scenarios.cost.sellers import slug
from scenarios.simulator.streams import Stream

BURST_GPU_HOURS = 150_000
"""Of jobs in the cloud's burst pools in a year, for 160 GPUs of our own."""
_SIZES = ((1, 0.3), (2, 0.12), (4, 0.18), (8, 0.25), (16, 0.1), (32, 0.05))
_HOURS = {
    "training": 26.0,
    "fine_tuning": 13.0,
    "inference": 30.0,
    "interactive": 6.0,
    "batch": 8.0,
}
_NAMES = {
    "training": ("pretrain", "continue", "sweep"),
    "fine_tuning": ("finetune", "align", "distil"),
    "inference": ("score", "endpoint", "embed"),
    "interactive": ("shell", "notebook", "explore"),
    "batch": ("nightly", "features", "transcode"),
}
_PARTITION = {"inference": "serve", "interactive": "interactive", "batch": "batch"}
_PEOPLE = tuple(
    (
        "adaeze bram chiara dmitri elif farid greta hana ivo jelena kofi lior mairi nikhil oona pavel "
        "quentin rosa sanne tariq ulla viktor wanjiru xenia yusuf zofia"
    ).split()
)


@dataclass(frozen=True)
class History:
    """All jobs in the order of their ids, and GPU-hours: `freed` by lever, those of burst jobs, those of ours.

    `pools`: pool -> day -> hours of its instance that jobs used.
    """

    jobs: tuple[Job, ...]
    freed: dict[str, float]
    burst_hours: float
    own_hours: float
    pools: dict[str, dict[date, int]]

    def part(self, lever: str) -> float:
        """Part of the burst that the hours freed by a lever replace."""
        return min(0.95, DISPLACED * self.freed[lever] / self.burst_hours)


@dataclass(frozen=True)
class _Held:
    """A scene as a key of a cache: scenes hold dictionaries and have no hash of their own."""

    scene: Scene

    def __hash__(self) -> int:
        return hash(self.scene.seed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.scene.seed == self.scene.seed


@lru_cache(maxsize=2)
def _history_of(held: _Held) -> History:
    return _make(held.scene)


def history_of(scene: Scene) -> History:
    """The year's jobs. Pure: the scene's seed decides."""
    return _history_of(_Held(scene))


def _make(scene: Scene) -> History:
    pools = _pools(scene)
    burst = 8.0 * sum(sum(days.values()) for days in pools.values())
    wanted = {
        key: scene.part[key] * burst / DISPLACED
        for key in (
            "idle_reap",
            "rightsize_requests",
            "binpack",
            "fair_share",
            "time_limits",
            "goodput",
        )
    }
    wanted["goodput"] /= preventable(scene)
    own = [job for team in scene.profile.teams for job in _of_team(scene, team)]
    own, freed = _wasted(own, wanted, scene.stream("waste"))
    freed |= {key: round(wanted[key], 1) for key in ("binpack", "fair_share", "time_limits")}
    freed["goodput"] = round(freed["goodput"] * preventable(scene), 1)
    jobs = sorted(
        [*placed(own, scene), *_burst_jobs(scene, pools)],
        key=lambda job: (job.submit, job.team, job.user, job.name),
    )
    for number, job in enumerate(jobs):
        job.id = 410_000 + 7 * number
    hours = sum(job.gpu_minutes for job in own) / 60
    return History(tuple(jobs), freed, burst, hours, pools)


def preventable(scene: Scene) -> float:
    """Part of the GPU-hours lost to failures that checks prevent, as a trial showed; 1 is all."""
    if not scene.settings.bound:
        return 1.0
    return (45 + round(20 * scene.stream("preventable").unit())) / 100


def people(scene: Scene, team: Team) -> list[str]:
    """User names of a team: at most six of its people use the cluster much."""
    at = [one.name for one in scene.profile.teams].index(team.name)
    return [
        f"{_PEOPLE[(at * 6 + n) % len(_PEOPLE)]}{at or ''}" for n in range(min(6, team.headcount))
    ]


@cache
def projects(team: Team) -> list[str]:
    """The projects of a team: one for each kind of work that it does much of."""
    kinds = [kind for kind in JOB_CLASSES if team.mix[kind] >= 0.1] or ["training"]
    return [f"{slug(team.name)}-{_NAMES[kind][0]}" for kind in kinds]


def _of_team(scene: Scene, team: Team) -> Iterator[Job]:
    draw, who = scene.stream(f"jobs {team.name}"), people(scene, team)
    kinds = [(kind, part / _HOURS[kind]) for kind, part in team.mix.items() if part > 0]
    seasons = season(scene)
    for month in scene.months:
        load = draw.between(0.77, 0.81) * seasons[month.start]
        left = scene.gpus * 24 * month.days * load * team.gpu_share * 60
        while left > 0:
            job = _job(scene, team, draw, draw.pick(kinds), month, who)
            left -= job.gpu_minutes
            yield job


def _job(scene: Scene, team: Team, draw: Stream, kind: str, month: Month, who: list[str]) -> Job:
    hours = min(96.0, draw.lognormal(_HOURS[kind], 0.8))
    minutes = max(STEP, round(hours * 60 / STEP) * STEP)
    gpus = min(
        draw.pick(_SIZES) if kind != "interactive" else draw.pick(_SIZES[:3]), scene.gpus // 2
    )
    last = month.days * 24 * 60 - minutes - 30
    start = datetime(month.start.year, month.start.month, 1, tzinfo=UTC) + timedelta(
        minutes=int(draw.unit() * max(1, last))
    )
    loose = draw.between(5, 11) if "time_limits" in scene.planted else draw.between(1.2, 1.9)
    project = projects(team)
    about = KINDS[kind]
    job = Job(
        id=0,
        name=f"{draw.pick([(name, 1.0) for name in _NAMES[kind]])}-{int(draw.unit() * 900) + 100}",
        project=project[int(draw.unit() * len(project))],
        user=who[int(draw.unit() * len(who))],
        team=slug(team.name),
        partition=_PARTITION.get(kind, "train"),
        submit=start - timedelta(minutes=int(draw.exponential(35))),
        start=start,
        minutes=minutes,
        limit=min(10_080, round(minutes * loose / 60 + 1) * 60),
        gpus=gpus,
        touched=gpus,
        util=round(draw.between(*about.util)),
        memory=round(draw.between(*about.memory) * scene.profile.gpu_model.memory_mib / 1024),
        state="COMPLETED",
    )
    return ended(job, kind, draw)


def _wasted(
    jobs: list[Job], wanted: dict[str, float], draw: Stream
) -> tuple[list[Job], dict[str, float]]:
    """The jobs with idle, oversized and failed ones among them, and the GPU-hours of each kind."""
    order = sorted(range(len(jobs)), key=lambda n: (draw.unit(), n))
    lost = sum(job.gpu_minutes for job in jobs if job.state in FAILURES) / 60
    freed = {"idle_reap": 0.0, "rightsize_requests": 0.0, "goodput": lost}
    found, kinds = list(jobs), list(freed)
    for at in order:
        job = found[at]
        kind = kinds[at % len(kinds)]
        hours = job.gpu_minutes / 60
        if kind == "rightsize_requests":
            hours = (job.gpus - _needed(job)) * job.minutes / 60
        if hours <= 0 or job.state in FAILURES or freed[kind] + hours > wanted[kind] + 8:
            continue
        freed[kind] += hours
        found[at] = _spoilt(job, kind, draw)
    return found, {key: round(hours, 1) for key, hours in freed.items()}


def _needed(job: Job) -> int:
    return job.gpus // 2 if job.gpus >= 4 else job.gpus


def _spoilt(job: Job, kind: str, draw: Stream) -> Job:
    if kind == "idle_reap":
        return replace(job, util=0, touched=0, memory=round(draw.between(2, 30)))
    if kind == "goodput":
        return replace(job, state=draw.pick((("FAILED", 0.7), ("NODE_FAIL", 0.3))))
    return replace(job, touched=_needed(job), util=job.util // 2)


def _pools(scene: Scene) -> dict[str, dict[date, int]]:
    """Hours of each burst instance that jobs used, by day: in waves, because queues come in waves."""
    count = max(2, round(4 * scene.scale))
    mean = BURST_GPU_HOURS * scene.scale / 8 / count / 365
    seasons = {day: of_day(scene, day) ** 2 for day in scene.days}
    found = {}
    for number in range(count):
        draw = scene.stream(f"burst {number}")
        days, wave = {}, 1.0
        for day in scene.days:
            wave = 0.85 * wave + 0.15 * draw.lognormal(1.0, 0.9)
            weekend = 0.55 if day.weekday() >= 5 else 1.15
            hours = mean * wave * weekend * seasons[day] * draw.between(0.6, 1.4)
            days[day] = min(22, round(hours))
        found[f"burst-{number + 1:02d}"] = days
    return found


def _burst_jobs(scene: Scene, pools: dict[str, dict[date, int]]) -> Iterator[Job]:
    for pool, days in pools.items():
        draw, team = scene.stream(f"jobs {pool}"), scene.roles["burst"]
        begin = scene.stream(f"begin {pool}")
        who, project = people(scene, team), projects(team)
        for day, hours in days.items():
            if not hours:
                continue
            hour = int(begin.unit() * (25 - hours))
            start = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
            state = draw.pick((("COMPLETED", 0.92), ("CANCELLED", 0.05), ("TIMEOUT", 0.03)))
            yield Job(
                id=0,
                name=f"burst-{pool[-2:]}-{day:%m%d}",
                project=project[int(draw.unit() * len(project))],
                user=who[int(draw.unit() * len(who))],
                team=slug(team.name),
                partition="cloud-burst",
                submit=start - timedelta(minutes=30 + int(draw.exponential(90))),
                start=start,
                minutes=hours * 60,
                limit=hours * 60 if state == "TIMEOUT" else 24 * 60,
                gpus=8,
                touched=8,
                util=round(draw.between(*KINDS["training"].util)),
                memory=round(
                    draw.between(*KINDS["training"].memory)
                    * scene.profile.gpu_model.memory_mib
                    / 1024
                ),
                state=state,
            )
