"""Webhooks and their deliveries through the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.roles import ADMINISTRATOR
from assessments.tests.stage import Stage, member
from hiring.models import Invitation
from integrations import deliveries
from integrations.models import Delivery, Webhook
from integrations.outgoing import request_for
from integrations.sealed import unseal
from integrations.tests.world import Program, Receiver
from integrations.webhooks import events


@pytest.fixture
def adam(api: Callable[..., Program], stage: Stage) -> Program:
    return api(member("adam2", ADMINISTRATOR))


def test_a_webhook_is_made_changed_and_stopped(adam: Program, receiver: Receiver) -> None:
    made = adam.post("webhooks", {"url": receiver.url, "events": ["decision.made"]})
    assert made.status_code == 201
    row = Webhook.objects.get()
    assert made.json()["secret"] == unseal(row.secret)
    at = f"webhooks/{row.pk}"
    assert "secret" not in adam.get(at).json()
    changed = adam.ask("patch", at, {"events": []})
    assert changed.json()["events"] == []
    assert changed.json()["url"] == receiver.url
    assert adam.ask("patch", at, {"url": "gopher://x"}).status_code == 409
    assert adam.post("webhooks", {"url": receiver.url, "events": ["x"]}).status_code == 400
    assert adam.post(f"{at}/stop", {"reason": "Done."}).json()["stop_reason"] == "Done."
    assert adam.post(f"{at}/stop", {"reason": "Done."}).status_code == 409


def test_deliveries_are_read_and_replayed(adam: Program, receiver: Receiver, stage: Stage) -> None:
    key = adam.post("webhooks", {"url": receiver.url}).json()["id"]
    now = timezone.now()
    Invitation.objects.update(created_at=now)
    events.notice(now + timedelta(seconds=1))
    (row,) = adam.get(f"deliveries?webhook={key}&is_delivered=false").json()["results"]
    assert (row["what"], row["state"]) == ("invitation.created", "waiting")
    assert adam.post(f"deliveries/{row['id']}/replay").status_code == 409
    deliveries.send_due(request_for, "worker", lambda: now + timedelta(seconds=2))
    seen = adam.get(f"deliveries/{row['id']}").json()
    assert (seen["state"], seen["log"][0]["status"]) == ("delivered", 200)
    first = adam.post(f"deliveries/{row['id']}/replay", key="again")
    second = adam.post(f"deliveries/{row['id']}/replay", key="again")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["id"] == second.json()["id"] != row["id"]
    assert Delivery.objects.count() == 2
