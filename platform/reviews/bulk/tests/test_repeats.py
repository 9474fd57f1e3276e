"""Somebody who did the same exercise not long ago is invited to it again with a reason, or not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage, begin
from hiring.models import Exercise, Invitation, Opening
from hiring.repeats import repeats
from reviews.bulk.tests.test_people_pages import hidden
from reviews.tests.scene import clients

__all__ = ["clients"]
ADD = "admin:hiring_invitation_add"


@pytest.fixture
def second(stage: Stage, published: list[Any]) -> Exercise:
    """Ada began the exercise a month ago; another opening asks for the same."""
    begin(stage)
    began(timezone.now() - timedelta(days=30))
    other = Opening.objects.create(title="Second role", level="mid", created_at=NOW)
    row = Exercise.objects.get(pk=stage.exercise.pk)
    row.pk, row.opening = None, other
    row.save()
    return row


def began(at: datetime) -> None:
    Attempt.objects.update(started_at=at, deadline_at=at + timedelta(hours=1))


@pytest.mark.parametrize(
    ("organisation", "own", "days", "asks"),
    [(12, None, 30, True), (12, None, 400, False), (0, None, 1, False), (12, 0, 1, False),
     (0, 6, 30, True), (12, 1, 60, False)],
)  # fmt: skip
def test_the_months_are_the_organisations_or_the_openings(
    second: Exercise, stage: Stage, settings: Any,
    organisation: int, own: int | None, days: int, asks: bool,
) -> None:  # fmt: skip
    settings.REPEAT_MONTHS = organisation
    second.opening.repeat_months = own
    now = timezone.now()
    began(now - timedelta(days=days))
    found = repeats(second.opening, [second], [stage.ada.pk], now)
    assert bool(found) is asks


def test_another_pack_is_another_exercise(second: Exercise, stage: Stage) -> None:
    second.pack_name = "cost/fleet-bill"
    assert repeats(second.opening, [second], [stage.ada.pk], timezone.now()) == {}


def form(stage: Stage, exercise: Exercise, **changes: Any) -> dict[str, Any]:
    return {
        "id": str(uuid4()),
        "opening": exercise.opening.pk,
        "exercises": [exercise.pk],
        "candidate": stage.ada.pk,
        "opens_at": "2036-01-05T10:00",
        "closes_at": "2036-01-12T10:00",
    } | changes


def test_one_invitation_asks_for_the_reason_and_keeps_it(
    clients: dict[str, Client], stage: Stage, second: Exercise
) -> None:
    rhea = clients["rhea"]
    assert "Why again" not in rhea.get(reverse(ADD)).content.decode()
    asked = rhea.post(reverse(ADD), form(stage, second))
    assert asked.status_code == 400
    assert f"{stage.ada.name} did “" in words_of(asked)
    assert "Why again" in words_of(asked)
    assert "Say why they should do it again" in words_of(asked)
    done = rhea.post(reverse(ADD), form(stage, second, repeat_reason="The role is senior now."))
    assert done.status_code == 200
    made = Invitation.objects.get(opening=second.opening)
    assert made.repeat_reason == "The role is senior now."
    assert LogEntry.objects.filter(change_message__contains="The role is senior now.").exists()
    page = rhea.get(reverse("admin:hiring_invitation_change", args=[made.pk]))
    assert "The role is senior now." in words_of(page)


def test_of_many_they_are_left_out_until_there_is_a_reason(
    clients: dict[str, Client], stage: Stage, second: Exercise
) -> None:
    rhea = clients["rhea"]
    chosen = {"action": "invite_many", "index": "0", "_selected_action": [stage.ada.pk]}
    onward = rhea.post(reverse("admin:hiring_candidate_changelist"), chosen)
    url = f"{onward['Location']}&opening={second.opening.pk}"
    page = rhea.get(url)
    assert "say below why again, or they are left out" in words_of(page)
    assert 'name="invite"' not in page.content.decode()
    data = form(stage, second, subject="Again", text="{{ link }}", repeat_reason="A new level.")
    page = rhea.post(url, data)
    assert "is invited all the same" in words_of(page)
    go = data | {"invite": "yes", "press": str(uuid4()), "shown": hidden(page)["shown"]}
    assert "Invited 1 candidate" in words_of(rhea.post(url, go, follow=True))
    assert Invitation.objects.get(opening=second.opening).repeat_reason == "A new level."
