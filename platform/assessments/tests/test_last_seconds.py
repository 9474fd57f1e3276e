"""What is owed for the last seconds of a round is given back before it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assessments.models import Attempt
from assessments.pulses import AWAY
from assessments.submissions import close_due, needs_settling, settle
from assessments.tests.stage import NOW, run_of, save

pytestmark = pytest.mark.django_db
END = NOW + timedelta(minutes=60)
SECOND = timedelta(seconds=1)


def test_a_run_of_the_last_second_that_waits_is_given_back(attempt: Attempt) -> None:
    run_of(attempt, END - SECOND)
    now = END + AWAY
    assert needs_settling(attempt, now)
    assert settle(attempt, now=now) is None
    attempt.refresh_from_db()
    assert attempt.deadline_at == END + AWAY + SECOND
    assert save(attempt, "what the run has shown", at=now).in_time


def test_a_run_is_not_given_back_while_it_waits_as_long_as_any_may(attempt: Attempt) -> None:
    run_of(attempt, END - SECOND)
    now = END - SECOND + AWAY
    assert now < END + attempt.rules.grace_time()
    assert not needs_settling(attempt, now)
    settle(attempt, now=now)
    assert attempt.deadline_at == END


def test_nothing_is_given_back_for_a_run_that_came_after_the_end(attempt: Attempt) -> None:
    end = END + attempt.rules.grace_time()
    run_of(attempt, end)
    assert settle(attempt, now=end + AWAY + SECOND) is not None
    assert attempt.deadline_at == END


def test_a_round_is_closed_with_its_grace_and_not_before(attempt: Attempt) -> None:
    end = END + attempt.rules.grace_time()
    assert attempt.rules.grace_time() > SECOND
    assert close_due(now=end - SECOND) == 0
    assert not needs_settling(attempt, end - SECOND)
    assert close_due(now=end) == 1
