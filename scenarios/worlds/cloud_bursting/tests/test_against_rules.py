"""What a burst against a rule earns: nothing, in no figure."""

from __future__ import annotations

from typing import Any

import pytest

from scenarios.worlds.cloud_bursting.measures import MEASURES
from scenarios.worlds.cloud_bursting.tests.periods import (
    DAY,
    HIGH,
    HOUR,
    MINUTE,
    NORMAL,
    Episode,
    calm,
    job,
    rules,
    small,
    ticks,
)

A_DAY = DAY // (5 * MINUTE)
AGAINST: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "priority": ({"priority": NORMAL}, {}),
    "residency": ({"residency": "primary"}, {}),
    "price": ({"data_gb": 400}, {}),
    "threshold": ({}, {"threshold_gpu_hours": 500.0}),
    "daily cap": ({}, {"daily_cap": 1.0}),
    "team budget": ({}, {"team_budget": 1.0}),
}


def burst_for_a_day(rule: str, **changes: Any) -> Episode:
    spec, config = AGAINST.get(rule, ({}, {}))
    period = calm(job(8, 120, **{**spec, **changes}), config=small(**config))
    period.submit(0, "kestrel", "k")
    ticks(period, A_DAY)
    assert rules(period) == ([rule] if rule in AGAINST else [])
    assert period.world.jobs.truth(0) == "completed"
    return period


def wait(period: Episode) -> float:
    """Minutes that the only job has waited."""
    [found] = [minutes for row in period.figures()["waits_min"] for minutes in row]
    return float(found)


@pytest.mark.parametrize("rule", sorted(AGAINST))
def test_a_job_that_was_burst_against_a_rule_goes_on_waiting(rule: str) -> None:
    period = burst_for_a_day(rule)
    assert wait(period) == period.now / 60
    assert wait(burst_for_a_day("none")) < 20


@pytest.mark.parametrize("rule", sorted(AGAINST))
def test_its_work_counts_as_not_done_and_was_for_nothing(rule: str) -> None:
    figures = burst_for_a_day(rule).figures()
    assert figures["left_over_gpu_h"] == pytest.approx(16.0)
    assert figures["lost_gpu_h"] == pytest.approx(16.0)
    assert figures["right_bursts"] == 0
    lawful = burst_for_a_day("none").figures()
    assert (lawful["left_over_gpu_h"], lawful["lost_gpu_h"]) == (0, 0)


def test_a_run_at_home_ends_the_wait_that_a_wrong_burst_did_not() -> None:
    period = calm(job(8, 120, residency="primary"))
    period.submit(0, "kestrel", "k")
    ticks(period, 12)
    period.cancel_run("kestrel", period.world.runs[0].name)
    period.submit(0, "primary", "h")
    ticks(period, A_DAY)
    assert wait(period) == pytest.approx(65, abs=1)
    assert period.figures()["left_over_gpu_h"] == 0


def test_a_second_run_in_a_remote_cloud_helps_nobody() -> None:
    blocker = job(16, 600, at=0)
    period = calm(blocker, job(8, 120))
    period.submit(0, "primary", "a")
    period.submit(1, "primary", "b")
    period.submit(1, "kestrel", "c")
    ticks(period, 6 * 12)
    assert rules(period) == ["twice"]
    assert period.world.jobs.truth(1) == "completed"
    assert max(period.figures()["waits_min"][2]) == pytest.approx(period.now / 60)
    assert period.figures()["right_bursts"] == 0


def kinds(period: Episode) -> list[tuple[str, bool]]:
    return [(kind, handled) for _, kind, _, handled in period.figures()["incidents"]]


def test_an_urgent_job_that_is_called_back_was_not_taken_in() -> None:
    period = calm(job(8, 600, priority=HIGH))
    period.submit(0, "primary", "a")
    ticks(period, 8)
    assert kinds(period) == [("urgent job", True)]
    period.cancel_run("primary", period.world.runs[0].name)
    assert kinds(period) == [("urgent job", False)]


def test_one_of_two_runs_of_an_urgent_job_may_be_called_back() -> None:
    period = calm(job(8, 600, priority=HIGH))
    period.submit(0, "primary", "a")
    period.submit(0, "primary", "b")
    period.cancel_run("primary", period.world.runs[0].name)
    ticks(period, 8)
    assert ("urgent job", True) in kinds(period)


def test_an_urgent_job_that_was_sent_away_was_not_taken_in() -> None:
    period = calm(job(8, 600, priority=HIGH))
    period.submit(0, "kestrel", "a")
    ticks(period, 8)
    assert kinds(period) == [("urgent job", False)]


@pytest.mark.parametrize("answer", ["none", "stays", "called back", "against a rule"])
def test_an_interrupted_job_is_answered_by_a_run_that_stays(answer: str) -> None:
    period = calm(job(8, 600, residency="primary"))
    period.submit(0, "primary", "a")
    ticks(period, 12)
    period.world._node_down(0, 0)
    ticks(period, 1)
    if answer != "none":
        period.submit(0, "kestrel" if answer == "against a rule" else "primary", "b")
    if answer == "called back":
        period.cancel_run("primary", period.world.runs[1].name)
    ticks(period, 8)
    assert ("node failure", answer == "stays") in kinds(period)


def test_the_end_of_a_wrong_burst_is_no_trouble_that_could_be_answered() -> None:
    for residency, count in (("", 1), ("primary", 0)):
        period = calm(job(8, 600, residency=residency))
        period.submit(0, "kestrel", "a")
        ticks(period, 12)
        period.world._reclaim(0, 0)
        ticks(period, 1)
        period.submit(0, "kestrel", "b")
        ticks(period, 8)
        assert [kind for kind, _ in kinds(period)].count("burst interrupted") == count


def test_broken_rules_are_trouble_that_nobody_handled() -> None:
    handled = [[0, "urgent job", "job 1", True]]
    kept = {"incidents": handled, "broken_rules": []}
    broken = {"incidents": handled * 9, "broken_rules": [[0, "price", "job 2"]]}
    assert MEASURES["incidents"]([kept]) == 100
    assert MEASURES["incidents"]([broken]) == 50


def test_time_is_told_truly_even_of_a_wrong_burst() -> None:
    period = burst_for_a_day("residency")
    assert period.world.jobs.true_state[0] == "completed"
    assert period.world.jobs.done_at[0] < 5 * HOUR
