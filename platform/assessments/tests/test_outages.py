"""Time that our own fault took is given back (T7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError
from hypothesis import given
from hypothesis import strategies as st

from assessments.candidate_data import state
from assessments.clock import EventKind, uncovered
from assessments.models import Attempt, Outage, Pulse, Run
from assessments.outages import answered, credit_run, keep_pulse, pulse, wake
from assessments.pulses import WEB, WORKER, is_away, is_slow
from assessments.submissions import close_due
from assessments.tests.stage import NOW, Stage, begin, save, submit
from hiring.invitations import invite
from hiring.models import Candidate

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
    assert gap(WORKER, timedelta(minutes=10), timedelta(seconds=14)) is None
    assert gap(WEB, timedelta(minutes=10), timedelta(seconds=1.9)) is None
    assert pulse(WEB, now=NOW + timedelta(minutes=10, seconds=4)) is None
    attempt.refresh_from_db()
    assert attempt.deadline_at == END


def test_short_outages_add_up(attempt: Attempt) -> None:
    """Two of eight seconds, each ended by an answer that came at once."""
    for began in (10, 20):
        gap(WEB, timedelta(minutes=began), timedelta(seconds=8))
        answered(now=NOW + timedelta(minutes=began, seconds=9))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(seconds=16)
    event = attempt.time_events.last()
    assert event is not None
    assert event.reason == "The platform was slow or not reachable for 8 seconds."
    assert state(attempt, NOW)["notice"] is None  # a bar for eight seconds would cost more


def test_longer_outage_is_said_on_the_page(attempt: Attempt) -> None:
    gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    assert "240 seconds. You have 4 min more time." in state(attempt, NOW)["notice"]["text"]


def answers(*seconds: float) -> None:
    """The site answers knocks so many seconds after NOW."""
    for second in seconds:
        answered(now=NOW + timedelta(seconds=second))


def test_slow_minute_is_credited_once_as_a_whole(attempt: Attempt) -> None:
    answers(0, 1, 6, 11, 16, 20, 25, 26)
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(seconds=24)
    assert attempt.time_events.filter(kind=EventKind.CREDITED).count() == 1
    event = attempt.time_events.last()
    assert event is not None
    assert event.reason == "The platform was slow or not reachable for 24 seconds."
    outage = Outage.objects.get()
    assert (outage.began_at, outage.ended_at) == (
        NOW + timedelta(seconds=1),
        NOW + timedelta(seconds=25),
    )


def test_site_that_stays_slow_is_credited_every_minute(attempt: Attempt) -> None:
    answers(*range(0, 185, 5))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(seconds=180)
    assert attempt.time_events.filter(kind=EventKind.CREDITED).count() == 3


def test_giving_back_takes_as_long_for_many_as_for_few(
    stage: Stage, django_assert_max_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    for number in range(6):
        person = Candidate.objects.create(name=f"{number}", email=f"{number}@x.org", created_at=NOW)
        invitation, _ = invite(
            opening=stage.opening,
            candidate=person,
            exercises=[stage.exercise],
            opens_at=NOW,
            closes_at=NOW + timedelta(days=6),
            by=stage.rhea,
            now=NOW,
        )
        begin(replace(stage, invitation=invitation))
    Pulse.objects.create(component=WEB, at=NOW)
    with django_assert_max_num_queries(12):
        outage = pulse(WEB, now=NOW + timedelta(minutes=4))
    assert outage is not None
    assert outage.credited == 6
    for attempt in Attempt.objects.all():
        assert attempt.deadline_at == attempt.clock().deadline_at == END + timedelta(minutes=4)


def test_quick_answers_are_one_write_each(
    attempt: Attempt, django_assert_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    answers(0)
    with django_assert_num_queries(3):  # the write, and what a transaction inside a test's takes
        answers(1)
    assert not is_slow(NOW + timedelta(seconds=2))
    assert is_slow(NOW + timedelta(seconds=5))


def test_nobody_is_closed_before_what_was_sent_in_time_is_taken(attempt: Attempt) -> None:
    end = END + attempt.rules.grace_time()
    Pulse.objects.create(component=WEB, at=end)
    for seconds in (1, 2, 3, 4):
        answered(now=end + timedelta(seconds=seconds))
        assert close_due(now=end + timedelta(seconds=seconds)) == 0
    answered(now=end + timedelta(seconds=5))
    assert close_due(now=end + timedelta(seconds=5)) == 1


def test_nobody_is_closed_while_the_site_is_slow(attempt: Attempt) -> None:
    """Nor by a page that asks: it gives the slow time back before it says anything."""
    Pulse.objects.create(component=WEB, at=END + timedelta(seconds=10))
    for seconds in (16, 22, 28):
        answered(now=END + timedelta(seconds=seconds))
    now = END + timedelta(seconds=33)
    assert close_due(now=now) == 0
    wake(attempt, now=now)
    assert attempt.deadline_at == END + timedelta(seconds=23)
    assert save(attempt, "typed while it was slow", at=now).in_time


def test_only_the_part_of_an_outage_after_the_start_counts(attempt: Attempt) -> None:
    gap(WEB, timedelta(minutes=-30), timedelta(minutes=40))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=10)


def test_handed_in_work_is_not_credited(attempt: Attempt) -> None:
    submit(attempt, "done", at=NOW + timedelta(minutes=5))
    outage = gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    assert outage is not None
    assert outage.credited == 0


def waiting_run(attempt: Attempt, since: datetime) -> Run:
    draft = save(attempt, "x", at=NOW).draft
    return Run.objects.create(
        attempt=attempt, round=1, draft=draft, workload="public-1", created_at=since
    )


def test_outage_that_begins_inside_the_grace_counts(attempt: Attempt) -> None:
    gap(WEB, timedelta(minutes=60, seconds=5), timedelta(minutes=2))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=2)


def test_first_contact_after_a_silence_credits_before_it_closes(attempt: Attempt) -> None:
    Pulse.objects.create(component=WEB, at=NOW + timedelta(minutes=50))
    now = NOW + timedelta(minutes=70)
    assert close_due(now=now) == 0  # nobody is closed while the site is silent
    wake(attempt, now=now)
    assert save(attempt, "after the silence", at=now).in_time


def test_outage_is_not_forgotten_where_crediting_fails(
    attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any, **__: Any) -> bool:
        raise OperationalError("database is locked")

    with monkeypatch.context() as broken:
        broken.setattr("assessments.outages.credit_all", locked)
        with pytest.raises(OperationalError):
            gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    assert not Outage.objects.exists()
    pulse(WEB, now=NOW + timedelta(minutes=14))
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=4)


def test_run_that_waits_at_the_end_stops_the_clock(attempt: Attempt) -> None:
    """No worker for the last twenty minutes: the round is not closed over it."""
    waiting_run(attempt, NOW + timedelta(minutes=40))
    assert close_due(now=END + timedelta(minutes=1)) == 0
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=21)


def test_run_we_gave_up_on_is_given_back_whole(attempt: Attempt) -> None:
    run = waiting_run(attempt, NOW + timedelta(minutes=5))
    now = NOW + timedelta(minutes=16)
    assert Run.objects.give_up(now) == [run.pk]
    run.refresh_from_db()
    assert credit_run(run, now=now)
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=11)
    assert "Press Run again" in run.detail


def test_run_that_started_at_once_is_not_credited(attempt: Attempt) -> None:
    run = waiting_run(attempt, NOW)
    run.claimed_at, run.finished_at = NOW + timedelta(seconds=2), NOW + timedelta(minutes=1)
    assert not credit_run(run, now=NOW + timedelta(minutes=1))


def test_pulse_goes_on_where_the_database_was_not_there_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beats: list[int] = []

    def refused(component: str, *, now: datetime) -> None:
        beats.append(1)
        raise OperationalError("connection refused")

    monkeypatch.setattr("assessments.outages.pulse", refused)
    monkeypatch.setattr("assessments.outages.PULSE_S", 0.01)
    end = keep_pulse("test")
    until = time.monotonic() + 20
    while len(beats) <= 2 and time.monotonic() < until:
        time.sleep(0.01)
    end()
    assert len(beats) > 2


def test_silent_site_is_known_to_be_away(db: None) -> None:
    assert not is_away(WEB, NOW)
    pulse(WEB, now=NOW)
    assert not is_away(WEB, NOW + timedelta(seconds=15))
    assert is_away(WEB, NOW + timedelta(seconds=16))


def test_time_that_was_lost_twice_over_is_given_back_once(attempt: Attempt) -> None:
    """Web server and worker down together, while a run waited."""
    run = waiting_run(attempt, NOW + timedelta(minutes=9))
    gap(WEB, timedelta(minutes=10), timedelta(minutes=4))
    run.finished_at = run.claimed_at = NOW + timedelta(minutes=14, seconds=2)
    credit_run(run, now=run.finished_at)
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + timedelta(minutes=5, seconds=2)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=6))
def test_uncovered_counts_each_instant_once(stretches: list[tuple[int, int]]) -> None:
    covered = [(min(pair), max(pair)) for pair in stretches]
    free = [at for at in range(10, 50) if not any(start <= at < end for start, end in covered)]
    times = [(NOW + timedelta(seconds=a), NOW + timedelta(seconds=b)) for a, b in covered]
    lost = uncovered(NOW + timedelta(seconds=10), NOW + timedelta(seconds=50), times)
    assert lost == timedelta(seconds=len(free))
