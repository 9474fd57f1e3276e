"""Work at a changing pace against the same work done unit by unit, and the clocks of what breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.simulator.streams import Stream
from scenarios.simulator.world.failures import HOUR_S, Clock, swing
from scenarios.simulator.world.progress import Pace, saved

DAY_S = 24 * HOUR_S


@given(st.integers(0, 500), st.integers(1, 40), st.integers(1, 40), st.integers(0, 900))
def test_work_is_reached_at_the_first_instant_at_which_it_is_done(
    since: int, units: int, span: int, target: int
) -> None:
    pace = Pace(0, since, units, span)
    first = pace.when(target)
    assert pace.at(first) >= target
    assert target == 0 or pace.at(first - 1) < target


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=1, max_size=8))
def test_a_change_of_pace_keeps_the_unit_begun_and_a_halt_loses_it(
    changes: list[tuple[int, int]],
) -> None:
    kept, now = Pace(), 0
    for passed, span in changes:
        now += passed
        before = kept.at(now)
        kept.settle(now)
        assert kept.at(now) == before
        kept.units, kept.span = 1, span
        assert kept.since <= now
    halted = Pace(0, 0, 1, 10)
    halted.halt(19)
    assert (halted.done, halted.at(1000)) == (1, 1)
    halted.units = 1
    assert halted.when(2) == 29


def test_work_that_has_not_begun_is_not_settled() -> None:
    pace = Pace(5, 100, 95, 100)
    pace.settle(40)
    assert (pace.done, pace.since, pace.at(40)) == (5, 100, 5)


@pytest.mark.parametrize(
    ("done", "every", "held"), [(0, 10, 0), (29, 10, 20), (30, 10, 30), (9, 0, 0)]
)
def test_the_newest_save_holds_what_was_done_by_then(done: int, every: int, held: int) -> None:
    assert saved(done, every) == held


@pytest.mark.parametrize("daily", [0.0, 0.8])
def test_a_clock_strikes_as_often_as_it_says_and_more_in_the_afternoon(daily: float) -> None:
    strikes = list(Clock(Stream("s", "clock"), HOUR_S, daily).strikes(0.0, 400 * DAY_S))
    assert len(strikes) == pytest.approx(400 * 24, rel=0.03)
    hours = [time % DAY_S / HOUR_S for time in strikes]
    day, night = (sum(low <= hour < low + 4 for hour in hours) for low in (12, 0))
    rates = [sum(swing(low + part / 8, daily) for part in range(32)) for low in (12, 0)]
    assert day / night == pytest.approx(rates[0] / rates[1], rel=0.12)
