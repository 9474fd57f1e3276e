"""Webhooks hear of every fact once, signed; what does not arrive is tried again, and by hand once more."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.not_possible import NotPossible
from accounts.tests.reading import words_of
from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from hiring.invitations import revoke
from integrations import deliveries
from integrations.models import Delivery, DeliveryTry, Event, Webhook
from integrations.outgoing import request_for
from integrations.sealed import unseal
from integrations.tests.world import Receiver
from integrations.webhooks import endpoints, events, signing
from reviews.decisions.decisions import decide
from reviews.privacy.erasure import erase
from reviews.tests.scene import LATER, score_all

BEFORE = NOW - timedelta(minutes=1)
SOON = LATER + timedelta(minutes=1)


@pytest.fixture
def hook(receiver: Receiver, stage: Stage) -> tuple[Webhook, str]:
    return endpoints.make(
        url=receiver.url + "/hook", description="", events=[], by=stage.rhea, now=BEFORE
    )


def send(now: datetime = SOON) -> int:
    return deliveries.send_due(request_for, "worker", lambda: now)


def decided(stage: Stage) -> None:
    decide(
        id=None,
        opening=stage.opening,
        candidate=stage.ada,
        outcome="hire",
        reasons="Sound.",
        by=stage.hana,
        now=LATER,
    )


def test_the_signature_is_that_of_the_specification() -> None:
    """The example of the specification's page."""
    at = datetime.fromtimestamp(1614265330, UTC)
    made = signing.headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        body=b'{"test": 2432232314}',
        now=at,
    )
    assert made["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert made["webhook-timestamp"] == "1614265330"


def test_every_fact_is_told_once(
    hook: tuple[Webhook, str], receiver: Receiver, handed_in: Attempt, stage: Stage
) -> None:
    score_all(handed_in, stage.ines)
    decided(stage)
    revoke(stage.invitation, by=stage.rhea, reason="x", now=LATER)
    for _ in range(2):
        events.notice(SOON)
        send()
    told = [json.loads(got.body) for got in receiver.got]
    assert sorted(one["type"] for one in told) == sorted(events.KINDS)
    graded = next(one for one in told if one["type"] == "grading.finished")
    answer = handed_in.submissions.get()
    assert graded["data"] == {
        "opening_id": stage.opening.pk,
        "candidate_id": stage.ada.pk,
        "invitation_id": str(stage.invitation.pk),
        "attempt_id": str(handed_in.pk),
        "submission_id": answer.pk,
        "grading_id": answer.latest_grading().pk,  # type: ignore[union-attr]
    }
    assert "Ada" not in str(told)
    assert "0.4321" not in str(told)


def test_what_is_sent_is_signed_and_keeps_its_id(
    hook: tuple[Webhook, str], receiver: Receiver
) -> None:
    receiver.reply = lambda _: (500 if len(receiver.got) == 1 else 204, {})
    events.notice(SOON)
    send()
    send(SOON + timedelta(minutes=2))
    first, second = receiver.got
    key = base64.b64decode(hook[1].removeprefix("whsec_"))
    for got in receiver.got:
        signed = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode()
        mac = hmac.new(key, signed + got.body, hashlib.sha256).digest()
        assert got.headers["webhook-signature"] == "v1," + base64.b64encode(mac).decode()
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]
    row = Delivery.objects.get()
    assert row.delivered_at == SOON + timedelta(minutes=2)
    assert list(row.log.values_list("status", flat=True)) == [500, 204]


def test_pauses_grow_and_it_is_given_up(hook: tuple[Webhook, str], receiver: Receiver) -> None:
    receiver.reply = lambda _: (503, "busy")
    events.notice(SOON)
    now, pauses = SOON, []
    while not Delivery.objects.filter(given_up_at__isnull=False).exists():
        assert send(now) == 1
        due = Delivery.objects.get().due_at
        assert send(max(now, due - timedelta(seconds=1))) == 0 or due <= now
        pauses.append(due - now)
        now = max(due, now + timedelta(seconds=1))
    grown = [pause for pause in pauses if pause > timedelta(0)]
    assert grown == sorted(grown)
    assert grown[0] == timedelta(minutes=1)
    assert grown[-1] == timedelta(hours=6)
    assert timedelta(days=3) < now - SOON < timedelta(days=4)


def test_a_system_that_fails_is_left_for_its_next_turn(
    hook: tuple[Webhook, str], receiver: Receiver, handed_in: Attempt
) -> None:
    receiver.reply = lambda _: (500, {})
    events.notice(SOON)
    assert Delivery.objects.count() > 2
    assert send() == 1


def test_gone_is_gone(hook: tuple[Webhook, str], receiver: Receiver) -> None:
    receiver.reply = lambda _: (410, {})
    events.notice(SOON)
    send()
    assert Delivery.objects.get().given_up_at == SOON


def test_two_workers_send_once(hook: tuple[Webhook, str]) -> None:
    events.notice(SOON)
    pk = Delivery.objects.get().pk
    until = SOON + timedelta(minutes=1)
    assert Delivery.objects.claim(pk, "one", SOON, until)
    assert not Delivery.objects.claim(pk, "two", SOON, until)
    assert Delivery.objects.claim(pk, "two", until, until + timedelta(minutes=1))


def test_it_hears_of_what_it_asked_for_and_from_when_it_was_made(
    receiver: Receiver, stage: Stage, handed_in: Attempt
) -> None:
    made: dict[str, Any] = {"url": receiver.url, "description": "", "by": stage.rhea}
    endpoints.make(**made, events=["attempt.started"], now=BEFORE)
    endpoints.make(**made, events=[], now=LATER + timedelta(seconds=1))
    events.notice(SOON)
    told = Delivery.objects.select_related("event")
    assert [row.event.kind for row in told if row.event] == ["attempt.started"]


def test_nothing_is_noticed_of_trials_or_for_nobody(
    receiver: Receiver, stage: Stage, handed_in: Attempt
) -> None:
    assert events.notice(SOON) == 0
    stage.opening.trial_by = stage.ines
    stage.opening.save()
    endpoints.make(url=receiver.url, description="", events=[], by=stage.rhea, now=BEFORE)
    decided(stage)
    assert events.notice(SOON) == 0
    assert not Event.objects.exists()


def test_a_person_delivers_again(
    hook: tuple[Webhook, str], receiver: Receiver, clients: dict[str, Client]
) -> None:
    events.notice(SOON)
    row = Delivery.objects.get()
    with pytest.raises(NotPossible, match="still on its way"):
        deliveries.again(row, by=row.webhook.made_by, now=SOON)  # type: ignore[union-attr]
    send()
    adam = clients["adam"]
    page = reverse("admin:delivery", args=[row.pk])
    assert "Delivered" in words_of(adam.get(page))
    again = reverse("admin:delivery-again", args=[row.pk])
    assert clients["rhea"].get(again).status_code == 403
    assert adam.post(again, {"reason": "They lost it."}).status_code == 302
    send(datetime.now(UTC) + timedelta(seconds=1))
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1
    assert len(receiver.got) == 2


def test_an_administrator_adds_changes_and_stops_one(
    clients: dict[str, Client], receiver: Receiver, stage: Stage
) -> None:
    adam, make = clients["adam"], reverse("admin:webhook-make")
    assert clients["hana"].get(make).status_code == 403
    assert adam.post(make, {"url": "ftp://x"}).status_code == 409
    shown = adam.post(make, {"url": receiver.url, "events": ["decision.made"]})
    row = Webhook.objects.get()
    assert unseal(row.secret) in shown.content.decode()
    assert unseal(row.secret) not in row.secret
    page = reverse("admin:webhook", args=[row.pk])
    assert "Somebody decided" in words_of(adam.get(page))
    form = {"url": receiver.url + "/other", "description": "Warehouse"}
    adam.post(reverse("admin:webhook-change", args=[row.pk]), form)
    before = row.secret
    renewed = adam.post(reverse("admin:webhook-secret", args=[row.pk]), {"reason": "Leaked."})
    row.refresh_from_db()
    assert (row.url, row.events) == (receiver.url + "/other", [])
    assert row.secret != before
    assert unseal(row.secret) in renewed.content.decode()
    adam.post(reverse("admin:webhook-stop", args=[row.pk]), {"reason": "Replaced."})
    row.refresh_from_db()
    assert row.stopped_at
    assert "Stopped" in words_of(adam.get(reverse("admin:webhooks")))


def test_private_addresses_are_refused_where_they_are_entered(
    stage: Stage, clients: dict[str, Client]
) -> None:
    answer = clients["adam"].post(
        reverse("admin:webhook-make"), {"url": "https://169.254.169.254/latest"}
    )
    assert answer.status_code == 409
    assert "no public address" in words_of(answer)


def test_all_of_it_goes_with_the_candidate(
    hook: tuple[Webhook, str], handed_in: Attempt, stage: Stage
) -> None:
    events.notice(SOON)
    send()
    assert DeliveryTry.objects.exists()
    erase(stage.ada, mode="erase", by=stage.rhea, now=SOON)
    for model in (Event, Delivery, DeliveryTry):
        assert not model.objects.exists()


def test_the_log_is_kept_for_a_month(hook: tuple[Webhook, str]) -> None:
    events.notice(SOON)
    send()
    assert deliveries.forget_old(SOON + timedelta(days=29)) == 0
    deliveries.forget_old(SOON + timedelta(days=31))
    assert not Delivery.objects.exists()
    assert events.notice(SOON + timedelta(days=1)) == 0
