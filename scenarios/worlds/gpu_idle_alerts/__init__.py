"""GPU servers in which some GPUs stand idle, and the monitor that is to notice."""

from __future__ import annotations

from scenarios.company.profile import Profile
from scenarios.worlds.checks import is_count, is_line, is_list_of, is_name, is_one_of, is_text
from scenarios.worlds.contract import World
from scenarios.worlds.gpu_idle_alerts.documents import DOCUMENTS, words
from scenarios.worlds.gpu_idle_alerts.episode import SERIES, Episode
from scenarios.worlds.gpu_idle_alerts.families import FAMILIES
from scenarios.worlds.gpu_idle_alerts.measures import MEASURES, account, summary
from scenarios.worlds.gpu_idle_alerts.setting import Setting, read_setting

MOST_FACTS, MOST_PANELS = 12, 600
FACT_LENGTH = 400


def is_fact(value: object) -> bool:
    """[source, subject, value], three strings."""
    return type(value) is list and len(value) == 3 and all(map(is_text(FACT_LENGTH), value))


def is_panel(value: object) -> bool:
    """[title, gpu, metric, unit, threshold]: four short strings and a number."""
    if type(value) is not list or len(value) != 5:
        return False
    *texts, threshold = value
    return all(map(is_text(80), texts)) and type(threshold) in (int, float)


def open_days(
    profile: Profile, setting: Setting, family: str, seed: str, *, faults: bool = True
) -> Episode:
    """One stretch of days of a family from a seed; KeyError for an unknown family."""
    return Episode(profile, setting, family, seed, faults=faults)


WORLD: World[Setting] = World(
    name="gpu_idle_alerts",
    span="stretch of days",
    families=tuple(FAMILIES),
    methods={
        "tick": {},
        "gpus": {},
        "samples": {},
        "processes": {},
        "jobs": {},
        "nodes": {},
        "logs": {"subject": is_name},
        "maintenance": {},
        "contacts": {},
        "alerts": {},
        "alert": {
            "rule": is_name,
            "gpus": is_list_of(is_name, 16),
            "severity": is_one_of("page", "ticket"),
            "team": is_name,
            "text": is_line,
        },
        "resolve": {"alert": is_count},
        "finding": {
            "alert": is_count,
            "cause": is_name,
            "evidence": is_list_of(is_fact, MOST_FACTS),
        },
        "dashboard": {"panels": is_list_of(is_panel, MOST_PANELS)},
        "warn": {"job": is_count, "text": is_line},
        "cancel": {"job": is_count},
        "log": {"text": is_line},
    },
    series=SERIES,
    measures=MEASURES,
    settings=read_setting,
    open=open_days,
    words=words,
    documents=DOCUMENTS,
    summary=summary,
    account=account,
)
