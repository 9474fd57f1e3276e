"""A lease is of one try: who has lost it changes the row no more, whatever the name of the worker."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from assessments.jobs import LEASE, PAUSE, Result
from assessments.models import Attempt, Run
from assessments.tests.stage import run_of

pytestmark = pytest.mark.django_db
WORKER = "host:1:1"


@pytest.fixture
def run(attempt: Attempt) -> Run:
    return run_of(attempt, timezone.now())


def claimed(run: Run, now: Any) -> Run:
    assert Run.objects.claim(run.pk, WORKER, now)
    return Run.objects.get(pk=run.pk)


def is_still_open(run: Run) -> bool:
    return Run.objects.get(pk=run.pk).finished_at is None


def test_an_earlier_try_of_the_same_worker_cannot_write_the_end(run: Run) -> None:
    now = timezone.now()
    first = claimed(run, now)
    pause = claimed_again_after(first, now)
    second = claimed(run, now + pause)
    assert (second.worker, second.tries) == (first.worker, first.tries + 1)
    assert not first.extend_lease(now + pause)
    assert not first.finish(result=Result.DONE, detail="", report={}, now=now + pause)
    assert is_still_open(run)
    assert second.finish(result=Result.DONE, detail="", report={}, now=now + pause)


def claimed_again_after(first: Run, now: Any) -> timedelta:
    """The try failed through us; how long until the next one."""
    pause = first.release(now, trouble="The engine was restarted.")
    assert not Run.objects.claim(first.pk, WORKER, now + pause - timedelta(seconds=1))
    return pause


def test_a_lease_that_the_same_worker_lost_cannot_write_the_end(run: Run) -> None:
    now = timezone.now()
    first = claimed(run, now)
    second = claimed(run, now + LEASE)
    assert (second.tries, second.losses) == (first.tries, first.losses + 1)
    assert not first.extend_lease(now + LEASE)
    assert not first.finish(result=Result.DONE, detail="", report={}, now=now + LEASE)
    assert is_still_open(run)


def test_an_earlier_try_gives_nothing_back_and_frees_nothing(run: Run) -> None:
    now = timezone.now()
    first = claimed(run, now)
    second = claimed(run, now + LEASE)
    first.release(now + LEASE, trouble="late news")
    first.end_lease(now + LEASE)
    row = Run.objects.get(pk=run.pk)
    assert (row.worker, row.trouble) == (WORKER, "")
    assert row.lease_until == second.lease_until == now + 2 * LEASE


def test_the_pause_after_a_failure_doubles(run: Run) -> None:
    now = timezone.now()
    for times in (1, 2):
        pause = claimed(run, now).release(now, trouble="The engine was restarted.")
        assert pause == times * PAUSE
        now += pause
