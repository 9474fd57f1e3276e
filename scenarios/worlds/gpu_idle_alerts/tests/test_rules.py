"""The house rules as the environment states them, seen on the truth that measures rest on."""

from __future__ import annotations

import pytest

from scenarios.worlds.gpu_idle_alerts.rules import HELD_AFTER, LOST_AFTER, STALLED_AFTER
from scenarios.worlds.gpu_idle_alerts.setting import DAY
from scenarios.worlds.gpu_idle_alerts.tests.stretches import (
    ONE,
    TEN,
    THREE,
    opened,
    raise_for,
    unattended,
    until_case,
)


@pytest.mark.parametrize("family", ["steady", "adversarial"])
def test_idle_means_below_ten_percent_for_a_day_in_one_hand(family: str) -> None:
    days = opened(ONE, family, "idle")
    world = days.world
    while not days.complete:
        days.tick()
        for case in days.truth.open.values():
            if "idle" not in case.rules or case.due != world.tick:
                continue
            first = case.members[0]
            assert world.tick - max(0, world.judged[first]) >= DAY
            assert any(world.mean(unit) < 10 for unit in case.members)
            window = world.window_of(first)
            assert window is None


def test_held_stalled_and_lost_are_counted_as_stated() -> None:
    days = opened(TEN, "steady", "clocks")
    world = days.world
    met: set[str] = set()
    while not days.complete:
        days.tick()
        for case in days.truth.open.values():
            if case.due != world.tick:
                continue
            first = case.members[0]
            if list(case.rules) == ["held"]:
                assert world.still[first] >= HELD_AFTER
                assert world.util[first] == 0
            elif list(case.rules) == ["stalled"]:
                assert world.hot[first] >= STALLED_AFTER
            elif list(case.rules) == ["lost"]:
                assert world.tick - world.lost_at[first] >= LOST_AFTER
            met.update(case.rules)
    assert met >= {"held", "stalled", "lost", "idle"}


@pytest.mark.nightly
def test_nothing_set_aside_or_under_contract_is_idle() -> None:
    for family in ("steady", "adversarial", "diurnal"):
        days = unattended(TEN, family, "aside")
        contracted = {u.number for u in days.world.fleet.units if u.server == 9}
        assert contracted
        for case in days.truth.cases:
            if contracted & set(case.members):
                assert list(case.rules) == ["lost"]
                assert case.urgent


def test_an_over_requesting_job_is_a_case_of_its_idle_gpus_only() -> None:
    days = opened(TEN, "steady", "1")
    case = until_case(days, "over_request")
    job = days.world.jobs[case.job]
    assert case.members == job.units[1:]
    assert days.world.mean(job.units[0]) > 80


def test_a_forgotten_server_is_one_case_of_all_its_gpus() -> None:
    days = opened(THREE, "steady", "0-steady")
    case = until_case(days, "forgotten_drain")
    assert case.team == "ops"
    assert len(case.members) == 8
    over = [w for w in days.world.plan.windows if w.server == case.server and w.forgotten]
    assert over[0].end + DAY <= days.world.tick


def test_a_job_that_its_owner_keeps_is_not_judged_any_more() -> None:
    days = opened(THREE, "diurnal", "1")
    case = until_case(days, "idle_process")
    job = days.world.jobs[case.job]
    job.reaction = "keeps"
    number = raise_for(days, case)
    days.warn(case.job, "it ends in four hours")
    told = []
    for _ in range(6):
        told += [event[1:] for event in days.tick()["events"]]  # type: ignore[attr-defined]
    assert ["kept", str(case.job)] in told
    assert case.over >= 0
    days.resolve(number)
    for _ in range(30):
        days.tick()
    assert days.world.util[job.units[0]] > 0 or job.ended >= 0


def test_junior_servers_know_two_rules_and_five_causes() -> None:
    for family in ("steady", "failure-heavy", "diurnal"):
        found = unattended(ONE, family, "junior").truth.cases
        assert {rule for case in found for rule in case.rules} <= {"idle", "lost"}
        assert not {c.cause for c in found} & {"hung_collective", "over_request", "forgotten_drain"}
