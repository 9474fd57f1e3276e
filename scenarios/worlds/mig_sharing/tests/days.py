"""Small days to play in tests: a level, a controller that does the obvious, and shortcuts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scenarios.company.profile import DEFAULT
from scenarios.worlds.mig_sharing import WORLD
from scenarios.worlds.mig_sharing.demand import GangSpec, ServiceSpec
from scenarios.worlds.mig_sharing.episode import Episode
from scenarios.worlds.mig_sharing.settings import Level, Tenant, Trouble, make_config
from scenarios.worlds.refusal import Refused

PLAIN = Level(2, (Tenant("aster"), Tenant("boreal")), 0.3, 0.2, 4)
KEPT = (Tenant("aster", "gpu"), Tenant("boreal", "gpu"), Tenant("cinder", "node"))
APART = Level(3, KEPT, 0.3, 0.2, 8)
QUIET = Trouble(layout_failure=0.0)
MINUTE, HOUR = 60_000, 3_600_000


def a_day(level: Level = PLAIN, family: str = "diurnal", seed: str = "t", **more: Any) -> Episode:
    """A day as the graders open it."""
    opened = WORLD.open(DEFAULT, level, family, seed, **more)
    assert isinstance(opened, Episode)
    return opened


def made(
    services: list[ServiceSpec] | None = None,
    gangs: list[GangSpec] | None = None,
    level: Level = PLAIN,
    trouble: Trouble = QUIET,
    **changes: Any,
) -> Episode:
    """A day of exactly these services and gangs, without trouble unless it is given."""
    config = replace(make_config(DEFAULT, level, trouble), **changes)
    return Episode(config, services or [], gangs or [], "made", faults=False)


def service(
    name: str = "aster-chat-001", tenant: int = 0, kind: int = 0, wanted: int = 1, slo: int = 0
) -> ServiceSpec:
    """A service that wants as many replicas from midnight to midnight."""
    return ServiceSpec(name, tenant, slo, kind, 60_000, ((0, wanted), (24 * HOUR, 0)))


def gang(gpus: int = 2, work: int = HOUR, **changes: Any) -> GangSpec:
    """A gang that is submitted at midnight."""
    return replace(GangSpec(0, 0, gpus, work, 2 * work, 10 * MINUTE, False), **changes)


def ticks(day: Episode, minutes: int) -> list[list[Any]]:
    """Let minutes pass; the events of them."""
    events: list[list[Any]] = []
    for _ in range(minutes // 2):
        news = day.tick()["events"]
        assert isinstance(news, list)
        events += news
    return events


def rows(answer: object) -> list[Any]:
    """The rows of a read."""
    assert isinstance(answer, dict)
    found: list[Any] = answer["rows"]
    return found


def whole(day: Episode) -> list[str]:
    """GPUs that training may start on."""
    return [gpu.name for gpu in day.world.core.fleet.gpus if gpu.whole]


def obvious(day: Episode) -> None:
    """One round of a controller that places, starts, repairs and bills without much thought."""
    try:
        _services(day)
        for gpu in day.world.core.fleet.gpus:
            if gpu.state in (2, 3):
                day.set_layout(gpu.name, [])
        for job in rows(day.jobs()):
            free = whole(day)
            if job[3] == "pending" and job[2] <= len(free):
                day.start_gang(job[0], free[: job[2]])
    except Refused:
        return


def _services(day: Episode) -> None:
    free = {i[0]: i[1] for gpu in rows(day.mig_gpus()) for i in gpu[7] if not i[2]}
    for row in rows(day.services()):
        for _ in range(row[4] - row[5] - row[6]):
            for name, profile in free.items():
                if profile == row[3]:
                    day.place(row[0], name)
                    del free[name]
                    break


def play(day: Episode, every: int = 3) -> Episode:
    """The whole day under the obvious controller, which acts every third tick."""
    count = 0
    while not day.complete:
        day.tick()
        count += 1
        if count % every == 0:
            obvious(day)
    return day
