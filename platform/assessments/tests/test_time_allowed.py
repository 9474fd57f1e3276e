"""Mail, lobby, what is read ahead and the clock say the same time, to the second, for each round its own."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.tests.reading import words_of
from assessments import attempts, candidate_data, pages
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, begin, enter, make_stage, submit
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Accommodation, Exercise
from hiring.tests.mails import send_all
from hiring.time_allowed import in_words, stretch

GRANTED = timedelta(minutes=49, seconds=30)


def grant(stage: Stage, factor: str, at: datetime) -> None:
    Accommodation.objects.create(
        candidate=stage.ada, multiplier=factor, granted_by=stage.rhea, granted_at=at
    )


def set_limits(stage: Stage, work: int, revision: int) -> None:
    Exercise.objects.update(limit_minutes=work, revision_minutes=revision)
    stage.exercise.refresh_from_db()


def open_the_revision(stage: Stage, attempt: Attempt, at: datetime) -> None:
    attempts.open_revision(
        attempt.pk, strength="S", improvement="I", focus="", start_now=False, by=stage.ines, now=at
    )


def test_mail_lobby_and_clock_say_the_same_to_the_second(db: None, client: Client) -> None:
    now = timezone.now()
    stage = make_stage(now)
    set_limits(stage, 45, 15)
    grant(stage, "1.10", now)
    invite_by_mail(stage.invitation, by=stage.rhea, now=now)
    assert send_all(now) == 1
    assert "49 minutes 30 seconds from the moment" in mail.outbox[0].body
    (token,) = [
        line.split("/t/")[1].strip("/")
        for line in mail.outbox[0].body.splitlines()
        if "/t/" in line
    ]
    enter(client, str(token))
    page = words_of(client.get(reverse("lobby", args=[stage.invitation.pk])))
    assert "runs for 49 minutes 30 seconds" in page
    assert "Start: 49 minutes 30 seconds" in page
    assert "16 minutes 30 seconds" in page
    assert "50 min" not in page
    attempt = begin(stage, now)
    assert attempt.deadline_at - attempt.started_at == GRANTED
    assert pages.workspace_data(attempt, now)["limit_s"] == GRANTED.total_seconds()


def test_lobby_does_not_promise_time_beyond_the_window(db: None, client: Client) -> None:
    now = timezone.now()
    stage = make_stage(now)
    stage.invitation.closes_at = now + timedelta(minutes=30)
    stage.invitation.save()
    enter(client, stage.token)
    page = words_of(client.get(reverse("lobby", args=[stage.invitation.pk])))
    assert "Start: 60 minutes" not in page
    assert "Start: until the link closes" in page
    assert "less than the full 60 minutes" in page
    attempt = begin(stage, now)
    assert attempt.deadline_at == stage.invitation.window_closes_at()
    assert pages.workspace_data(attempt, now)["limit_s"] == 1800


def test_extra_time_granted_later_is_of_the_revision_alone(stage: Stage) -> None:
    attempt = begin(stage)
    submit(attempt, "Mine.", at=NOW + timedelta(minutes=30))
    open_the_revision(stage, attempt, NOW + timedelta(hours=1))
    grant(stage, "1.50", NOW + timedelta(hours=2))
    at = NOW + timedelta(hours=3)
    attempts.start_revision(attempt.pk, now=at)
    attempt = Attempt.objects.get()
    assert attempt.deadline_at - at == timedelta(minutes=22, seconds=30)
    assert attempt.rules.work_time() == timedelta(minutes=60)
    assert attempt.rules.grace_time(1) == timedelta(seconds=20)
    assert attempt.rules.grace_time(2) == timedelta(seconds=30)
    assert (attempt.factor_of(1), attempt.factor_of(2)) == (Decimal(1), Decimal("1.5"))
    assert attempt.phase(attempt.deadline_at + timedelta(seconds=29)) == "revision_grace"


def test_extra_time_granted_meanwhile_leaves_a_running_round_as_it_was(stage: Stage) -> None:
    attempt = begin(stage)
    grant(stage, "2.00", NOW + timedelta(minutes=5))
    stage.invitation.refresh_from_db()
    (card,) = pages.lobby(stage.invitation, NOW + timedelta(minutes=6))["exercises"]
    assert (card["work_time"], card["revision_time"]) == ("60 minutes", "30 minutes")
    assert Attempt.objects.get(pk=attempt.pk).deadline_at == NOW + timedelta(minutes=60)


def test_a_revision_shows_its_own_time_notices_only(stage: Stage) -> None:
    attempt = begin(stage)
    attempts.extend(
        attempt.pk, minutes=7, by=stage.rhea, reason="Fire alarm.", now=NOW + timedelta(minutes=5)
    )
    submit(attempt, "Mine.", at=NOW + timedelta(minutes=30))
    open_the_revision(stage, attempt, NOW + timedelta(hours=1))
    at = NOW + timedelta(hours=3)
    attempts.start_revision(attempt.pk, now=at)
    assert candidate_data.state(Attempt.objects.get(), at)["notice"] is None
    attempts.extend(attempt.pk, minutes=3, by=stage.rhea, reason="Network.", now=at)
    notice = candidate_data.state(Attempt.objects.get(), at)["notice"]
    assert notice["text"] == "You have 3 min more time."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 minutes"),
        (1, "1 second"),
        (60, "1 minute"),
        (61, "1 minute 1 second"),
        (2970, "49 minutes 30 seconds"),
        (10800, "180 minutes"),
    ],
)
def test_lengths_in_words(seconds: int, words: str) -> None:
    assert in_words(timedelta(seconds=seconds)) == words


FACTORS = st.decimals(1, 4, places=2)


@given(st.timedeltas(timedelta(0), timedelta(days=30)), FACTORS)
def test_stretched_time_is_whole_seconds_and_never_less(length: timedelta, factor: Decimal) -> None:
    whole = stretch(length, factor)
    exact = Decimal(length // timedelta(microseconds=1)) * factor
    assert whole % timedelta(seconds=1) == timedelta(0)
    assert 0 <= whole // timedelta(microseconds=1) - exact < 1_000_000


@given(st.integers(0, 100_000))
def test_words_lose_no_second(seconds: int) -> None:
    said = in_words(timedelta(seconds=seconds)).split()
    found = sum(
        int(number) * (60 if unit.startswith("minute") else 1)
        for number, unit in zip(said[::2], said[1::2], strict=True)
    )
    assert found == seconds
