"""Stretches of days as the tests of this world play them."""

from __future__ import annotations

from functools import cache

from scenarios.company.profile import DEFAULT
from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.rules import Case
from scenarios.worlds.gpu_idle_alerts.setting import Setting, read_setting

ALL_RULES = ["idle", "lost", "held", "stalled"]
ONE = read_setting({"fleet": "one", "days": 10, "trouble": 0.6})
THREE = read_setting({"fleet": "three", "days": 9, "rules": ALL_RULES, "actions": True})
TEN = read_setting(
    {"fleet": "ten", "days": 8, "rules": ALL_RULES, "actions": True, "audit": True, "trouble": 1.2}
)


def opened(
    setting: Setting = THREE, family: str = "steady", seed: str = "1", *, faults: bool = False
) -> Episode:
    return Episode(DEFAULT, setting, family, seed, faults=faults)


@cache
def unattended(setting: Setting, family: str, seed: str) -> Episode:
    """Played to its end with nobody watching; for looking at only."""
    days = opened(setting, family, seed)
    days.run_out()
    return days


def until_case(days: Episode, cause: str, wait: int = 0) -> Case:
    """Let time pass until a case of the cause is open, and then `wait` ticks more."""
    while not days.complete:
        days.tick()
        for case in days.truth.open.values():
            if case.cause == cause and days.world.tick - case.due == wait:
                return case
    raise AssertionError(f"no case of {cause} in this stretch")


def names(days: Episode, case: Case) -> list[str]:
    return [days.world.fleet.units[unit].name for unit in case.members]


def raise_for(days: Episode, case: Case, severity: str = "ticket", team: str = "") -> int:
    """The number of an alert about the case."""
    rule = next(iter(case.rules))
    made = days.alert(rule, names(days, case), severity, team or case.team, "a case")
    assert isinstance(made, dict)
    return int(made["id"])
