"""A candidate asks from the workspace; what staff tell reaches the open page, with time for it (T8)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.not_possible import NotPossible
from assessments import candidate_data
from assessments.clock import EventKind, replay
from assessments.enquiries import asking, telling
from assessments.enquiries.api import conversation
from assessments.ledger import credit, locked
from assessments.models import Announcement, Attempt, Enquiry
from assessments.tests.stage import NOW, Stage, attempt, begin, enter, make_stage, stage, submit
from hiring.models import Accommodation

__all__ = ["attempt", "stage"]
SOON = NOW + timedelta(minutes=5)


def test_question_sent_twice_is_one(stage: Stage, attempt: Attempt) -> None:
    key = uuid4()
    for _ in range(2):
        asking.ask(attempt, id=key, text="Which unit?", now=SOON)
    assert attempt.enquiries.get().text == "Which unit?"
    with pytest.raises(NotPossible, match="time for this exercise is over"):
        asking.ask(attempt, id=uuid4(), text="Late?", now=NOW + timedelta(hours=3))


def test_answer_goes_to_the_one_who_asked(stage: Stage, attempt: Attempt) -> None:
    enquiry = asking.ask(attempt, id=uuid4(), text="Which unit?", now=SOON)
    before = candidate_data.state(attempt, SOON)["told"]
    told = telling.answer(enquiry, text="Seconds.", minutes=0, by=stage.rhea, now=SOON)
    assert candidate_data.state(attempt, SOON)["told"] == told.announcement.pk > before
    (asked,) = conversation(attempt)["asked"]
    assert [one["text"] for one in asked["answers"]] == ["Seconds."]
    assert conversation(attempt)["announced"] == []
    assert "rhea" not in json.dumps(conversation(attempt)).lower()


def test_correction_gives_each_running_clock_its_minutes(stage: Stage) -> None:
    Accommodation.objects.create(
        candidate=stage.ada, multiplier="1.5", granted_by=stage.rhea, granted_at=NOW
    )
    attempt = begin(stage)
    due = attempt.deadline_at
    with locked(attempt.pk) as row:  # an outage that was given back before
        credit(row, began=NOW, ended=SOON, reason="Away.", now=SOON)
    told = telling.announce(
        stage.opening, stage.exercise, text="The limit is 40, not 4.", minutes=10,
        is_correction=True, by=stage.rhea, now=SOON,
    )  # fmt: skip
    attempt.refresh_from_db()
    assert told.given == 1
    assert attempt.deadline_at == due + timedelta(minutes=5 + 15)  # half as long again
    last = attempt.time_events.last()
    assert last
    assert (last.kind, last.actor) == (EventKind.CREDITED, stage.rhea)
    clock = replay(event.as_fact() for event in attempt.time_events.all())
    assert clock.deadline_at == attempt.deadline_at
    state = candidate_data.state(attempt, SOON)
    assert state["notice"]["text"].startswith(telling.CORRECTED)
    assert conversation(attempt)["announced"][0]["is_correction"] is True
    with locked(attempt.pk) as row:  # a later outage counts whole
        credit(row, began=SOON, ended=SOON + timedelta(minutes=2), reason="Away.", now=SOON)
    attempt.refresh_from_db()
    assert attempt.deadline_at == due + timedelta(minutes=22)


def test_who_handed_in_gets_no_time_and_who_begins_later_reads_it(
    stage: Stage, attempt: Attempt
) -> None:
    submit(attempt, "done", at=SOON)
    told = telling.announce(
        stage.opening, None, text="Mind the units.", minutes=5, is_correction=False,
        by=stage.rhea, now=SOON,
    )  # fmt: skip
    assert told.given == 0
    later = NOW + timedelta(minutes=30)
    assert Announcement.objects.newest_to(attempt) == told.announcement.pk
    assert candidate_data.state(attempt, later)["notice"] is None


def test_another_exercise_is_not_told(stage: Stage, attempt: Attempt) -> None:
    other = stage.opening.exercises.create(
        pack_name="cost/fleet-bill", kind="cost", level="mid", limit_minutes=60, revision_minutes=10
    )
    told: dict[str, Any] = {"text": "x", "minutes": 5, "is_correction": False, "by": stage.rhea}
    assert telling.announce(stage.opening, other, **told, now=SOON).given == 0
    assert Announcement.objects.newest_to(attempt) == 0


@pytest.mark.django_db
@pytest.mark.nightly
def test_page_asks_by_its_address(client: Client) -> None:
    now = timezone.now()
    stage = make_stage(now)
    attempt = begin(stage, now)
    enter(client, stage.token)
    url, key = f"/api/attempts/{attempt.pk}/enquiries", str(uuid4())

    def send(**data: Any) -> Any:
        return client.post(url, json.dumps(data), content_type="application/json")

    assert send(id=key, text=" Which unit?\r\n").status_code == 201
    assert send(id=key, text="Which unit?").status_code == 201
    assert Enquiry.objects.get().text == "Which unit?"
    for bad in ({"id": "x", "text": "a"}, {"id": str(uuid4()), "text": " "}, {"text": "a"}):
        assert send(**bad).status_code == 400
    assert send(id=str(uuid4()), text="a" * 3000).status_code == 400
    asked = client.get(url).json()
    assert [one["text"] for one in asked["asked"]] == ["Which unit?"]
    for _ in range(asking.MOST - 1):
        send(id=str(uuid4()), text="More?")
    refused = send(id=str(uuid4()), text="One too many?")
    assert (refused.status_code, refused.json()["detail"]) == (409, asking.TOO_MANY)
    assert Client().get(url).status_code in (401, 404)
