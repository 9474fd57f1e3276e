"""The whole story with each tracking system: stage change, invitation, answer, people's scores, result."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.tests.stage import Stage
from hiring.models import Candidate, Invitation, Message
from integrations.inbound import access
from integrations.models import ConnectionKind, Order
from integrations.tests.fakes import FakeAshby, FakeGreenhouse, basic
from integrations.tests.recorded import recordings
from integrations.tests.story import PAGE, adam, begin_now, connected, hand_in, mira, pass_on, score
from integrations.tests.world import Receiver
from integrations.tracking import connections, orders
from integrations.tracking.interface import Person
from integrations.webhooks import endpoints, events
from reviews.privacy.candidate_export import export, export_own

__all__ = ["adam"]


def test_greenhouse_from_send_test_to_score(
    clients: dict[str, Client], receiver: Receiver, stage: Stage, published: list[Any]
) -> None:
    fake = FakeGreenhouse(receiver)
    adam = User.objects.get(username="adam")
    row, fake.key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    fake.move_to_stage()
    assert mira().candidate.name == "Mira Okafor"
    assert Message.objects.get(candidate=mira().candidate).occasion == "invitation"
    assert fake.poll()["partner_status"] == "invited"
    attempt = begin_now(stage)
    assert fake.poll()["partner_status"] == "started"
    hand_in(attempt)
    pass_on()
    assert "complete" not in fake.shows
    assert fake.poll()["partner_status"] == "handed_in"
    assert "partner_score" not in fake.poll()  # a machine's score is nobody's result
    score(attempt, stage)
    pass_on()
    assert fake.shows["complete"]
    result = fake.ask("test_status", order=fake.shows["order"])
    assert result["partner_score"] == 4
    assert result["partner_profile_url"] == f"{PAGE}{attempt.pk}/"
    assert result["metadata"]["Evaluators"] == 1
    pass_on()
    assert len(receiver.got) == 1  # told once
    fake.ask("response_error")
    row.refresh_from_db()
    assert row.trouble == "test_status: partner_profile_url is missing"
    page = words_of(clients["adam"].get(reverse("admin:tracking-connection", args=[row.pk])))
    assert "partner_profile_url is missing" in page
    assert "4711" in page


def test_the_whole_copy_of_their_data_says_which_system_knows_what(
    adam: User, receiver: Receiver, stage: Stage
) -> None:
    endpoints.make(
        url=receiver.url + "/hook", description="Warehouse", events=[], by=adam, now=timezone.now()
    )
    fake = FakeAshby(receiver)
    receiver.reply = lambda got: (200, {}) if got.path == "/hook" else fake.told(got)
    _, fake.key = connected(ConnectionKind.ASHBY, adam, receiver, outward_key=fake.own_key)
    fake.start()
    begin_now(stage)
    events.notice(timezone.now())
    pass_on()
    data = copied(export(mira().candidate))
    [order] = data["orders_of_tracking_systems"]
    placed = Order.objects.get()
    assert (order["system"], order["their_number"]) == ("Ashby", placed.external_id)
    assert order["exercise"] == str(stage.exercise)
    assert [one["that"] for one in order["told"]] == ["Started"]
    told = [(one["event"], one["system"]) for one in data["events_told_to_other_systems"]]
    assert ("attempt.started", "Warehouse") in told
    assert not {"orders_of_tracking_systems", "events_told_to_other_systems"} & set(
        copied(export_own(mira().candidate))
    )
    assert copied(export(stage.ada))["orders_of_tracking_systems"] == []


def copied(packed: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return dict(json.loads(archive.read("data.json")))


def test_greenhouse_orders_the_same_once(adam: User, receiver: Receiver, stage: Stage) -> None:
    fake = FakeGreenhouse(receiver)
    _, fake.key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    fake.move_to_stage()
    first = fake.shows["order"]
    fake.move_to_stage()
    assert fake.shows["order"] == first
    assert Invitation.objects.filter(candidate__email="mira@example.com").count() == 1


def test_our_key_goes_to_greenhouses_own_host_alone(
    adam: User, receiver: Receiver, stage: Stage
) -> None:
    _, key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    body = recordings("greenhouse")["send_test"]["request"]["body"]
    sent = body | {"partner_test_id": str(stage.exercise.pk), "url": "https://evil.example/x/1"}
    answer = Client().post(
        "/integrations/greenhouse/send_test", sent, "application/json",
        headers={"Authorization": basic(key)},
    )  # fmt: skip
    assert answer.status_code == 422
    assert not Order.objects.exists()


def test_ashby_from_start_to_result(adam: User, receiver: Receiver, stage: Stage) -> None:
    fake = FakeAshby(receiver)
    _, fake.key = connected(ConnectionKind.ASHBY, adam, receiver, outward_key=fake.own_key)
    fake.start()
    pass_on()
    attempt = begin_now(stage)
    pass_on()
    hand_in(attempt)
    pass_on()
    assert "result" not in fake.shows
    score(attempt, stage, level=3)
    pass_on()
    assert fake.shows["statuses"] == ["Started", "Handed in", "Scored"]
    assert fake.shows["result"] == 3
    twice = recordings("ashby")["assessment.start"]["request"]["body"]
    answer = fake.client.post(
        "/integrations/ashby/assessment.start",
        twice | {"assessment_type_id": str(stage.exercise.pk)},
        "application/json",
        headers={"Authorization": basic(fake.key)},
    )
    assert answer.status_code == 409


def test_ashby_cancels_and_hears_of_what_was_missed(
    adam: User, receiver: Receiver, stage: Stage
) -> None:
    fake = FakeAshby(receiver)
    row, fake.key = connected(ConnectionKind.ASHBY, adam, receiver, outward_key=fake.own_key)
    fake.start()
    said = fake.cancel()
    assert said["cancelled_reason"]["value"] == "Cancelled"
    assert fake.cancel() == said  # cancelled twice is cancelled once
    assert mira().revoked_at
    pass_on()
    assert receiver.got == []  # it knows
    fake.start()  # and may be ordered anew
    assert Invitation.objects.filter(candidate__email="mira@example.com").count() == 2
    pass_on(timezone.now() + timedelta(days=row.window_days + 1))
    assert fake.shows["cancelled"] == "Not started in time"


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("greenhouse/list_tests", "get"),
        ("greenhouse/send_test", "post"),
        ("greenhouse/test_status", "get"),
        ("greenhouse/response_error", "post"),
        ("ashby/assessment.list", "post"),
        ("ashby/assessment.start", "post"),
        ("ashby/assessment.cancel", "post"),
    ],
)
def test_a_wrong_key_opens_nothing(
    path: str, method: str, adam: User, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access.GUESSED, "take", lambda *_: True)
    other = ConnectionKind.ASHBY if "greenhouse" in path else ConnectionKind.GREENHOUSE
    _, key = connected(other, adam, receiver, outward_key="x")
    call: Callable[..., Any] = getattr(Client(), method)
    for headers in ({}, {"Authorization": "Basic %%%"}, {"Authorization": basic(key)}):
        assert call(f"/integrations/{path}", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"{}", b'{"candidate": 1}', b'{"candidate": {"email": 5}}',
     b'{"partner_test_id": "1", "url": "x"}',
     b'{"url": "https://app.greenhouse.io/1", "candidate": {"email": "\\u0000"}}'],
)  # fmt: skip
def test_rubbish_is_answered_in_words(body: bytes, adam: User, receiver: Receiver) -> None:
    _, key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    headers = {"Authorization": basic(key)}
    answer = Client().post(
        "/integrations/greenhouse/send_test", body, "application/json", headers=headers
    )
    assert answer.status_code in (400, 422)
    assert answer.json()["errors"]


def test_an_ended_connection_orders_and_hears_nothing(
    adam: User, receiver: Receiver, stage: Stage
) -> None:
    fake = FakeGreenhouse(receiver)
    row, fake.key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    fake.move_to_stage()
    attempt = begin_now(stage)
    hand_in(attempt)
    score(attempt, stage)
    assert connections.end(row, now=timezone.now())
    pass_on()
    assert receiver.got == []
    answer = fake.client.get(
        "/integrations/greenhouse/list_tests", headers={"Authorization": basic(fake.key)}
    )
    assert answer.status_code == 401


def test_a_result_holds_what_the_person_may_read(
    receiver: Receiver, stage: Stage, published: list[Any]
) -> None:
    """A recruiter reads no scorecards: the system hears that it is scored, and where to read it."""
    fake = FakeGreenhouse(receiver)
    _, fake.key = connected(ConnectionKind.GREENHOUSE, stage.rhea, receiver)
    fake.move_to_stage()
    attempt = begin_now(stage)
    hand_in(attempt)
    score(attempt, stage)
    said = fake.poll()
    assert said["partner_status"] == "complete"
    assert "partner_score" not in said


def test_who_may_not_invite_orders_nothing(receiver: Receiver, stage: Stage) -> None:
    row, _ = connected(ConnectionKind.GREENHOUSE, stage.hana, receiver)
    with pytest.raises(NotPossible, match="may not invite"):
        orders.place(
            row,
            stage.exercise,
            Person("Mira", "mira@example.com"),
            external_id="1",
            now=timezone.now(),
        )
    assert Candidate.objects.count() == 1


def test_whoever_loses_access_orders_nothing_any_more(
    adam: User, receiver: Receiver, stage: Stage
) -> None:
    fake = FakeGreenhouse(receiver)
    _, fake.key = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    adam.groups.set(Group.objects.none())
    assert fake.client.get(
        "/integrations/greenhouse/list_tests", headers={"Authorization": basic(fake.key)}
    ).json() == []  # fmt: skip
    User.objects.filter(pk=adam.pk).update(is_active=False)
    answer = fake.client.get(
        "/integrations/greenhouse/list_tests", headers={"Authorization": basic(fake.key)}
    )
    assert answer.status_code == 401


def test_no_order_waits_for_ever_behind_older_ones(
    adam: User, receiver: Receiver, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More are open than are looked at in one go, and nothing becomes of the first ones."""
    monkeypatch.setattr(orders, "AT_ONCE", 2)
    connection, _ = connected(ConnectionKind.GREENHOUSE, adam, receiver)
    now = timezone.now()
    for number in range(5):
        person = Person(f"Person {number}", f"person{number}@example.com")
        orders.place(connection, stage.exercise, person, external_id=str(number), now=now)
    asked: list[str] = []

    def tell(order: Order, now: datetime) -> bool:
        asked.append(order.external_id)
        return True

    monkeypatch.setattr(orders, "_tell", tell)
    for minute in range(3):
        orders.tell_all(now + timedelta(minutes=minute))
    assert sorted(asked) == list("01234")
