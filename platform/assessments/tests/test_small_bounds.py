"""Bounds of what may be asked hold to the last one that fits, and what was slow is called slow."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest

from assessments.ledger import credit, locked
from assessments.models import Attempt, Pulse
from assessments.outages import pulse
from assessments.pulses import AWAY, WEB
from assessments.scaling.access import LONGEST_PLAN, Unreadable, plan_of
from assessments.scaling.checking import MOST, REMEMBERED, Pace
from assessments.tests.stage import NOW
from assessments.troubleshooting.metrics_answers import _Arrays
from assessments.troubleshooting.metrics_query import step_for
from assessments.troubleshooting.metrics_series import Drawn, Line

SLOW = "The platform was slow or not reachable for"


def test_a_plan_may_be_as_long_as_is_said() -> None:
    empty = json.dumps({})
    assert plan_of(empty + " " * (LONGEST_PLAN - len(empty)))
    with pytest.raises(Unreadable, match="200,001 characters long and may have 200,000"):
        plan_of(empty + " " * (LONGEST_PLAN + 1 - len(empty)))


def test_so_many_attempts_are_remembered_and_no_more() -> None:
    pace, first = Pace(), UUID(int=0)
    assert [pace.admits(first, NOW) for _ in range(MOST + 1)] == [True] * MOST + [False]
    for other in range(1, 500):
        assert pace.admits(UUID(int=other), NOW)
    assert REMEMBERED == 500
    assert not pace.admits(first, NOW)  # 500 in all: nobody is forgotten yet
    for other in range(500, 1000):
        assert pace.admits(UUID(int=other), NOW)
    assert pace.admits(first, NOW)


def test_a_check_is_free_again_after_its_minute() -> None:
    pace, one = Pace(), UUID(int=1)
    for _ in range(MOST):
        assert pace.admits(one, NOW)
    assert not pace.admits(one, NOW + timedelta(seconds=59))
    assert pace.admits(one, NOW + timedelta(minutes=1))


@pytest.mark.parametrize(
    ("length_s", "points", "step_s"),
    [(60, 60, 1), (61, 60, 5), (300, 60, 5), (301, 60, 15), (7200 * 60, 60, 7200), (10, 60, 1)],
)
def test_steps_are_round_and_fit(length_s: int, points: int, step_s: int) -> None:
    assert step_for(length_s * 1000, points) == step_s * 1000


def test_a_line_whose_highest_are_its_lowest_is_sent_once() -> None:
    low = np.array([1.0, np.nan, 3.0], dtype=np.float32)
    lines = [
        Line("a", {}, 0, low, low),
        Line("b", {}, 0, low, low.copy()),
        Line("c", {}, 0, low, low + 1),
    ]
    arrays = _Arrays()
    told = arrays.drawn(Drawn(0, 1000, lines))["lines"]
    assert [one["high"] == one["low"] for one in told] == [True, True, False]
    assert len(arrays.parts) == 4


@pytest.mark.django_db
def test_time_is_given_back_once_and_said_to_be(attempt: Attempt) -> None:
    def given_back(row: Attempt) -> bool:
        ended, now = NOW + timedelta(minutes=2), NOW + timedelta(minutes=3)
        return credit(row, began=NOW, ended=ended, reason="Ours.", now=now)

    with locked(attempt.pk) as row:
        assert given_back(row) is True
        assert given_back(row) is False
        assert row.deadline_at == NOW + timedelta(minutes=62)


def reason_after(attempt: Attempt) -> str:
    event = attempt.time_events.last()
    assert event is not None
    return str(event.reason)


@pytest.mark.django_db
def test_a_short_silence_is_slow_and_not_away(attempt: Attempt) -> None:
    Pulse.objects.create(component=WEB, at=NOW)
    pulse(WEB, now=NOW + timedelta(seconds=8), at_once=True)
    assert reason_after(attempt) == f"{SLOW} 8 seconds."


@pytest.mark.django_db
def test_a_silence_that_ends_a_slow_stretch_is_named_for_both(attempt: Attempt) -> None:
    Pulse.objects.create(component=WEB, at=NOW)
    assert pulse(WEB, now=NOW + timedelta(seconds=8)) is None  # gathered: it may be slow for longer
    pulse(WEB, now=NOW + timedelta(seconds=8) + 2 * AWAY)
    assert reason_after(attempt) == f"{SLOW} 38 seconds."


@pytest.mark.django_db
def test_a_long_silence_alone_is_not_reachable(attempt: Attempt) -> None:
    Pulse.objects.create(component=WEB, at=NOW)
    pulse(WEB, now=NOW + 2 * AWAY)
    assert reason_after(attempt) == "The platform was not reachable for 30 seconds."
