"""GPU servers in which some GPUs stand idle, and the monitor that is to notice."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.worlds.contract import World
from scenarios.worlds.gpu_idle_alerts.documents import DOCUMENTS, words
from scenarios.worlds.gpu_idle_alerts.episode import SERIES, Episode
from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.measures import MEASURES, account, summary
from scenarios.worlds.gpu_idle_alerts.setting import Setting, read_setting


def open_days(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One stretch of days of a family from a seed; KeyError for an unknown family."""
    return Episode(profile, setting, family, seed, faults=faults)


WORLD: World[Setting] = World(
    name="gpu_idle_alerts",
    span="stretch of days",
    families=tuple(FAMILIES),
    methods=Episode.methods,
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_days,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
)
