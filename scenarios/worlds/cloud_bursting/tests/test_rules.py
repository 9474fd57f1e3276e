from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scenarios.worlds.cloud_bursting.market import Market
from scenarios.worlds.cloud_bursting.measures import MEASURES
from scenarios.worlds.cloud_bursting.rules import estimate, pending_gpu_hours
from scenarios.worlds.cloud_bursting.shape import EGRESS_PRIMARY
from scenarios.worlds.cloud_bursting.tests.periods import (
    CALM,
    DAY,
    HIGH,
    MINUTE,
    NORMAL,
    Episode,
    calm,
    job,
    rules,
    small,
    ticks,
)
from scenarios.worlds.refusal import Refused


@pytest.fixture(autouse=True)
def steady_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    """2 USD for a GPU-hour at home, 1 USD in every remote cloud, and room up to the quota."""
    monkeypatch.setattr(Market, "price", lambda self, number, now: 2.0 if number < 0 else 1.0)
    monkeypatch.setattr(Market, "room", lambda self, number, now: self.config.quotas[number])


def burst(period: Episode, cloud: str = "kestrel", number: int = 0, key: str = "k") -> list[str]:
    period.submit(number, cloud, f"{key}-{number}")
    return rules(period)


def test_burst_by_every_rule_is_right() -> None:
    period = calm(job())
    assert burst(period) == []
    assert period.figures()["right_bursts"] == 1


@pytest.mark.parametrize(
    ("changes", "cloud", "broken"),
    [
        ({"priority": HIGH}, "kestrel", ["priority"]),
        ({"priority": NORMAL}, "kestrel", ["priority"]),
        ({"protected": True}, "kestrel", ["priority"]),
        ({"residency": "primary"}, "plover", ["residency"]),
        ({"residency": "eu"}, "kestrel", ["residency"]),
        ({"residency": "eu"}, "plover", []),
        ({"data_gb": 300}, "kestrel", ["price"]),
        ({"gpus": 2}, "plover", ["price"]),
        ({"gpus": 2}, "kestrel", []),
    ],
)
def test_rule_is_broken_by_exactly_this_job(
    changes: dict[str, Any], cloud: str, broken: list[str]
) -> None:
    period = calm(job(**changes))
    assert burst(period, cloud) == broken
    assert period.figures()["right_bursts"] == (not broken)


def test_estimate_holds_compute_for_the_limit_and_both_ways() -> None:
    period = calm(job(8, 90, data_gb=10, result_gb=5))
    made = estimate(period.world, 0, 0)
    assert made.compute == pytest.approx(8 * 1.5)
    assert made.transfer == pytest.approx(10 * EGRESS_PRIMARY + 5 * 0.08)
    assert made.yardstick == pytest.approx(2 * 8 * 1.5)
    row = period.quote("kestrel", 0)["rows"]  # type: ignore[index]
    assert row == ["kestrel", 0, 13.3, 12.0, 1.3, 1.5, 300 + 600]


def test_data_that_are_there_are_not_paid_for_again() -> None:
    period = calm(job(8, 600, data_gb=10))
    burst(period)
    ticks(period, 4)
    assert estimate(period.world, 0, 0).transfer == pytest.approx(0.08)
    assert estimate(period.world, 0, 1).transfer == pytest.approx(0.9 + 0.05)


def test_quote_in_force_counts_and_an_expired_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def dear_later(self: Market, number: int, now: int) -> float:
        return 2.0 if number < 0 or now > 5 * MINUTE else 1.0

    monkeypatch.setattr(Market, "price", dear_later)
    period = calm(job(), job())
    for number in range(2):
        period.quote("kestrel", number)
    ticks(period, 2)
    assert burst(period, number=0) == []
    ticks(period, 1)
    assert burst(period, number=1) == ["price"]


@pytest.mark.parametrize(("threshold", "broken"), [(32.0, []), (33.6, []), (33.8, ["threshold"])])
def test_threshold_counts_all_pending_work_with_a_little_slack(
    threshold: float, broken: list[str]
) -> None:
    period = calm(job(8, 120), job(8, 120), config=small(threshold_gpu_hours=threshold))
    assert pending_gpu_hours(period.world) == pytest.approx(32.0)
    assert burst(period) == broken


def test_running_work_is_not_pending() -> None:
    period = calm(job(8, 120), job(8, 120), config=small(threshold_gpu_hours=20.0))
    period.submit(1, "primary", "k")
    assert burst(period) == ["threshold"]


def test_daily_cap_is_booked_at_the_estimate_and_begins_anew_at_midnight() -> None:
    period = calm(*(job(8, 60) for _ in range(3)), config=small(daily_cap=10.0))
    assert burst(period, number=0) == []
    assert burst(period, number=1) == ["daily cap"]
    ticks(period, DAY // (5 * MINUTE))
    assert burst(period, number=2) == ["daily cap"]


def test_team_budget_counts_a_second_placement_again() -> None:
    period = calm(job(8, 60), job(8, 60, team="maps"), config=small(team_budget=15.0))
    assert burst(period, number=0) == []
    ticks(period, 3)
    period.world._reclaim(0, 0)
    assert burst(period, number=0, key="again") == ["team budget"]
    assert burst(period, number=1) == ["team budget"]


def test_job_in_two_places_is_noted_and_ends_when_one_is_ended() -> None:
    period = calm(job(8, 600))
    period.submit(0, "primary", "a")
    assert burst(period) == ["twice"]
    ticks(period, 2)
    period.cancel_run("primary", period.world.runs[0].name)
    ticks(period, 12)
    found = [row for row in period.figures()["incidents"] if row[1] == "job in two places"]
    assert found == [[300, "job in two places", "job 0", True]]


def test_stopping_a_protected_job_breaks_a_rule() -> None:
    period = calm(job(8, 600, priority=HIGH, protected=True))
    period.submit(0, "primary", "a")
    period.cancel_run("primary", period.world.runs[0].name)
    assert rules(period) == ["protected"]


def test_burst_that_is_called_back_earns_nothing() -> None:
    period = calm(job(8, 600))
    burst(period)
    ticks(period, 4)
    period.cancel_run("kestrel", period.world.runs[0].name)
    assert period.figures()["right_bursts"] == 0


def missed(period: Episode, hours: int) -> int:
    ticks(period, hours * 12)
    return int(period.figures()["missed_bursts"])


def test_job_that_could_have_left_for_long_is_a_missed_chance_once() -> None:
    period = calm(job(8, 120))
    assert missed(period, 1) == 0
    assert missed(period, 1) == 1
    assert missed(period, 4) == 1


@pytest.mark.parametrize(
    "changes", [{"priority": NORMAL}, {"protected": True}, {"residency": "primary"}, {"every": 0}]
)
def test_job_that_should_stay_is_no_missed_chance(changes: dict[str, Any]) -> None:
    assert missed(calm(job(**changes)), 6) == 0


def test_no_chance_is_missed_without_room_money_or_fresh_prices() -> None:
    outages = ((0, 0, DAY), (1, 0, DAY))
    stuck = replace(CALM, feed_stuck=((0, DAY),))
    for config in (
        small(trouble=replace(CALM, outages=outages)),
        small(trouble=stuck),
        small(daily_cap=1.0),
        small(threshold_gpu_hours=100.0),
    ):
        assert missed(calm(job(8, 120), config=config), 6) == 0


def test_room_is_missed_only_once_for_jobs_that_need_it_all() -> None:
    config = small(quotas=(8, 0))
    period = calm(*(job(8, 120) for _ in range(5)), config=config)
    assert missed(period, 3) == 1


def test_breach_of_residency_counts_five_times() -> None:
    figures = {"right_bursts": 5, "missed_bursts": 0, "broken_rules": [[0, "residency", "job 1"]]}
    assert MEASURES["decisions"]([figures]) == pytest.approx(50.0)


def test_no_room_is_refused_before_anything_is_judged() -> None:
    period = calm(job(8, 60, residency="primary"), config=small(quotas=(0, 0)))
    with pytest.raises(Refused, match="QuotaExceeded"):
        period.submit(0, "kestrel", "k")
    assert rules(period) == []
