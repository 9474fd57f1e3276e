"""The people behind the alerts: what they do, when, and when they stop reading."""

from __future__ import annotations

import pytest

from scenarios.worlds.gpu_idle_alerts.episode import Episode
from scenarios.worlds.gpu_idle_alerts.facts import judge, patience
from scenarios.worlds.gpu_idle_alerts.fleet import CONTACTS
from scenarios.worlds.gpu_idle_alerts.rules import Case
from scenarios.worlds.gpu_idle_alerts.setting import DAY, HOUR
from scenarios.worlds.gpu_idle_alerts.tests.stretches import (
    ONE,
    THREE,
    names,
    opened,
    raise_for,
    until_case,
)


def hours_until_handled(finding: str, severity: str) -> int:
    """Ticks from an alert about a crash until its case is over; -1 when it never was."""
    days = opened(ONE, "steady", "desk")
    case = until_case(days, "crashed_job")
    number = raise_for(days, case, severity)
    if finding:
        days.finding(number, finding, [])
    begun = days.world.tick
    while case.over < 0 and not days.complete:
        days.tick()
    return case.over - begun


def test_a_right_finding_is_handled_sooner_than_a_wrong_or_missing_one() -> None:
    right = hours_until_handled("crashed_job", "page")
    assert right < hours_until_handled("", "page") == hours_until_handled("slow_input", "page")


def test_tickets_wait_for_the_morning_and_pages_do_not() -> None:
    days = opened(ONE, "steady", "desk")
    case = until_case(days, "crashed_job")
    while days.world.tick % DAY != 20 * HOUR:
        days.tick()
    assert case.over < 0
    raise_for(days, case)
    for _ in range(11 * HOUR):
        days.tick()
        assert case.over < 0
    assert hours_until_handled("crashed_job", "page") <= HOUR


def test_nobody_touches_what_is_not_under_a_rule() -> None:
    days = opened(ONE, "steady", "early")
    while days.world.tick < 9 * HOUR:
        days.tick()
    job = next(iter(days.world.jobs.values()))
    name = days.world.fleet.units[job.units[0]].name
    days.alert("idle", [name], "page", "ops", "too early")
    told = []
    for _ in range(6 * HOUR):
        told += [event[1] for event in days.tick()["events"]]  # type: ignore[attr-defined]
    assert "dismissed" in told
    assert "handled" not in told


def test_an_alert_for_another_team_is_forwarded_and_then_handled() -> None:
    days = opened(THREE, "steady", "forward")
    case = until_case(days, "crashed_job")
    wrong = next(c.team for c in CONTACTS["three"] if c.team != case.team)
    raise_for(days, case, "page", wrong)
    told = []
    while case.over < 0 and not days.complete:
        told += [event[1] for event in days.tick()["events"]]  # type: ignore[attr-defined]
    assert told[0] == "forwarded"
    assert case.over >= 0


def test_a_lost_gpu_comes_back_six_hours_after_somebody_was_told() -> None:
    days = opened(ONE, "failure-heavy", "lost")
    case = until_case(days, "gpu_lost")
    raise_for(days, case, "page")
    begun = days.world.tick
    while case.over < 0:
        days.tick()
    assert 6 * HOUR <= case.over - begun <= 8 * HOUR


def test_people_stop_reading_after_too_many_false_alerts() -> None:
    found = {}
    for extra in (0, 1):
        days = opened(ONE, "steady", "flood")
        case = until_case(days, "crashed_job")
        known = {unit for one in days.truth.open.values() for unit in one.members}
        busy = next(unit for unit in days.world.fleet.units if unit.number not in known)
        for _ in range(patience(days.world) + extra):
            made = days.alert("lost", [busy.name], "ticket", "ops", "crying wolf")
            assert isinstance(made, dict)
            days.resolve(made["id"])
        raise_for(days, case)
        for _ in range(8):
            days.tick()
        row = next(r for r in days.figures()["cases"] if r["due_s"] == case.due * 600)
        found[extra] = row["in_time"], days.figures()["alerts_unread"]
    assert found == {0: (True, 0), 1: (False, 1)}


def test_one_alert_counts_for_a_case_and_the_next_is_noise() -> None:
    days = opened(ONE, "steady", "desk")
    case = until_case(days, "crashed_job")
    number = raise_for(days, case)
    days.tick()
    before = days.figures()
    for _ in range(HOUR):
        days.tick()
    days.resolve(number)
    raise_for(days, case)
    after = days.figures()
    assert (before["alerts_right"], before["alerts_repeated"], before["noise"]) == (1, 0, 0.0)
    assert (after["alerts_right"], after["alerts_repeated"], after["noise"]) == (1, 1, 1.0)


def test_naming_a_healthy_gpu_beside_the_idle_ones_is_a_false_alert() -> None:
    days = opened(ONE, "steady", "desk")
    case = until_case(days, "crashed_job")
    other = next(u.name for u in days.world.fleet.units if u.number not in case.members)
    days.alert("idle", [*names(days, case), other], "ticket", "ops", "all of them")
    days.tick()
    assert days.figures()["alerts_false"] == 1


def told_of(days: Episode, case: Case, number: int) -> bool:
    """Whether the alert of that number counts as right about the case."""
    found = judge(days.truth, days.controls.register.alerts)
    return next(one.case is case for one in found if one.alert.id == number)


@pytest.mark.parametrize(("stays", "right"), [(0, False), (HOUR, False), (HOUR + 1, True)])
def test_an_alert_taken_back_within_the_hour_has_told_nobody_anything(
    stays: int, right: bool
) -> None:
    days = opened(THREE, "steady", "back")
    case = until_case(days, "crashed_job")
    number = raise_for(days, case)
    days.world.jobs[case.job].reaction = "silent"
    assert told_of(days, case, number)
    for _ in range(stays):
        days.tick()
    days.resolve(number)
    assert case.over < 0
    assert told_of(days, case, number) is right
    assert told_of(days, case, raise_for(days, case))


def test_an_alert_resolved_at_once_because_somebody_dealt_with_it_stays_right() -> None:
    days = opened(THREE, "steady", "back")
    case = until_case(days, "crashed_job")
    number = raise_for(days, case)
    days.resolve(number)
    assert not told_of(days, case, number)
    days.controls.register.alerts[-1].handled = days.world.tick
    assert told_of(days, case, number)


def test_an_alert_resolved_as_its_case_ends_stays_right() -> None:
    days = opened(THREE, "steady", "back")
    case = until_case(days, "crashed_job")
    number = raise_for(days, case)
    days.resolve(number)
    case.over = days.world.tick + HOUR
    assert told_of(days, case, number)
    case.over += 1
    assert not told_of(days, case, number)
