"""Time that our own fault took is given back (T7)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.clock import uncovered
from assessments.models import Attempt, Outage, Pulse, Run
from assessments.outages import WEB, WORKER, is_away, pulse
from assessments.tests.stage import NOW, Stage, save, submit

pytestmark = pytest.mark.django_db
END = NOW + timedelta(minutes=60)


def gap(component: str, began: timedelta, length: timedelta) -> Outage | None:
    Pulse.objects.update_or_create(component=component, defaults={"at": NOW + began})
    return pulse(component, now=NOW + began + length)


def test_outage_of_the_site_is_credited_to_who_was_working(attempt: Attempt) -> None:
    outage = gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=4)
    assert outage is not None
    assert outage.credited == 1
    event = attempt.time_events.last()
    assert event is not None
    assert "240 seconds" in event.reason


def test_outage_over_the_deadline_reopens_the_time_that_was_lost(attempt: Attempt) -> None:
    gap(WEB, timedelta(minutes=58), timedelta(minutes=30))
    attempt.refresh_from_db()
    now = NOW + timedelta(minutes=88)
    assert attempt.deadline_at == END + timedelta(minutes=30)
    assert attempt.phase(now).is_working


def test_short_silence_is_no_outage(attempt: Attempt) -> None:
    assert gap(WEB, timedelta(minutes=10), timedelta(seconds=14)) is None
    attempt.refresh_from_db()
    assert attempt.deadline_at == END


def test_only_the_part_of_an_outage_after_the_start_counts(attempt: Attempt) -> None:
    gap(WEB, timedelta(minutes=-30), timedelta(minutes=40))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=10)


def test_handed_in_work_is_not_credited(attempt: Attempt) -> None:
    submit(attempt, "done", at=NOW + timedelta(minutes=5))
    outage = gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    assert outage is not None
    assert outage.credited == 0


def test_outage_of_the_worker_is_credited_to_who_waited_for_a_run(
    attempt: Attempt, stage: Stage
) -> None:
    draft = save(attempt, "x", at=NOW).draft
    assert gap(WORKER, timedelta(minutes=5), timedelta(minutes=5)).credited == 0  # type: ignore[union-attr]
    Run.objects.create(
        attempt=attempt,
        round=1,
        draft=draft,
        workload="public-1",
        created_at=NOW + timedelta(minutes=21),
    )
    gap(WORKER, timedelta(minutes=20), timedelta(minutes=5))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=4)


def test_silent_site_is_known_to_be_away(db: None) -> None:
    assert not is_away(WEB, NOW)
    pulse(WEB, now=NOW)
    assert not is_away(WEB, NOW + timedelta(seconds=15))
    assert is_away(WEB, NOW + timedelta(seconds=16))


def test_time_that_was_lost_twice_over_is_given_back_once(attempt: Attempt) -> None:
    """Web server and worker down together, while a run waited."""
    draft = save(attempt, "x", at=NOW).draft
    Run.objects.create(
        attempt=attempt,
        round=1,
        draft=draft,
        workload="public-1",
        created_at=NOW + timedelta(minutes=9),
    )
    gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    gap(WORKER, timedelta(minutes=10, seconds=2), timedelta(minutes=4))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=4, seconds=2)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6))
def test_uncovered_counts_each_instant_once(stretches: list[tuple[int, int]]) -> None:
    covered = [(min(pair), max(pair)) for pair in stretches]
    free = [at for at in range(10, 50) if not any(start <= at < end for start, end in covered)]
    times = [(NOW + timedelta(seconds=a), NOW + timedelta(seconds=b)) for a, b in covered]
    lost = uncovered(NOW + timedelta(seconds=10), NOW + timedelta(seconds=50), times)
    assert lost == timedelta(seconds=len(free))
