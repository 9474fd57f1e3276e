"""Lever's story, whom it is believed, what goes with a name, and the pages about connections."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tests.reading import words_of
from assessments.tests.stage import Stage
from integrations.models import Arrival, Connection, ConnectionKind, Delivery, Order
from integrations.tests.fakes import FakeLever
from integrations.tests.story import PAGE, adam, begin_now, connected, hand_in, mira, pass_on, score
from integrations.tests.world import Receiver
from integrations.tracking import arrivals
from reviews.decisions.decisions import decide
from reviews.privacy.erasure import erase

__all__ = ["adam"]


def test_lever_from_stage_change_to_note(adam: User, receiver: Receiver, stage: Stage) -> None:
    fake = FakeLever(receiver)
    _, key = connected(
        ConnectionKind.LEVER,
        adam,
        receiver,
        outward_key=fake.own_key,
        signature_key=fake.signature_key,
        stage="take-home",
        exercise=stage.exercise,
        acts_as="8d49b010",
    )
    webhook = f"http://localhost:8000/integrations/lever/{key}"
    assert fake.move_to_stage(webhook, timezone.now()).json() == {"taken": True}
    assert fake.move_to_stage(webhook, timezone.now()).json() == {"taken": False}  # the same token
    pass_on()
    assert mira().candidate.name == "Mira Okafor"
    assert fake.shows["links"] == [
        f"http://localhost:8000/admin/hiring/invitation/{mira().pk}/change/"
    ]
    attempt = begin_now(stage)
    hand_in(attempt)
    pass_on()
    score(attempt, stage, level=5)
    decide(
        id=None,
        opening=stage.opening,
        candidate=mira().candidate,
        outcome="advance",
        reasons="Sound.",
        by=stage.hana,
        now=timezone.now(),
    )
    pass_on()
    handed_in, scored = fake.shows["notes"]
    assert "handed in" in handed_in
    assert "Mean rating 5.00 of 5, by one evaluator." in scored
    assert "Decision: Go on to the next stage." in scored
    assert f"{PAGE}{attempt.pk}/" in scored
    assert "0.43" not in scored


@pytest.fixture
def lever(adam: User, receiver: Receiver, stage: Stage) -> tuple[FakeLever, str, Connection]:
    fake = FakeLever(receiver)
    row, key = connected(
        ConnectionKind.LEVER,
        adam,
        receiver,
        outward_key=fake.own_key,
        signature_key=fake.signature_key,
        stage="take-home",
        exercise=stage.exercise,
    )
    return fake, f"http://localhost:8000/integrations/lever/{key}", row


def test_lever_is_believed_only_signed_and_fresh(
    lever: tuple[FakeLever, str, Connection],
) -> None:
    fake, webhook, _ = lever
    now = timezone.now()
    assert fake.move_to_stage(webhook, now, key="another").status_code == 403
    assert fake.move_to_stage(webhook, now - timedelta(days=3)).status_code == 403
    assert fake.move_to_stage(webhook[:-3] + "xyz", now).status_code == 401
    assert fake.move_to_stage(webhook, now, stage="phone-screen").json() == {"taken": False}
    assert not Arrival.objects.exists()


def test_lever_that_does_not_answer_is_asked_again(
    lever: tuple[FakeLever, str, Connection], receiver: Receiver
) -> None:
    fake, webhook, row = lever
    receiver.reply = lambda _: (503, "down")
    now = timezone.now()
    fake.move_to_stage(webhook, now)
    arrivals.take_in_due("worker", lambda: now + timedelta(seconds=1))
    arrivals.take_in_due("worker", lambda: now + timedelta(seconds=2))
    assert (Arrival.objects.get().tries, len(receiver.got)) == (1, 1)
    late = now + timedelta(days=1, hours=1)
    arrivals.take_in_due("worker", lambda: late)
    assert Arrival.objects.get().ended_at == late
    row.refresh_from_db()
    assert "503" in row.trouble


@pytest.mark.parametrize("mode", ["erase", "pseudonymise"])
def test_the_number_in_the_other_system_goes_with_the_name(
    mode: str, adam: User, receiver: Receiver, stage: Stage
) -> None:
    fake = FakeLever(receiver)
    _, key = connected(
        ConnectionKind.LEVER, adam, receiver, outward_key=fake.own_key,
        signature_key=fake.signature_key, stage="take-home", exercise=stage.exercise, acts_as="8d49b010",
    )  # fmt: skip
    fake.move_to_stage(f"http://localhost:8000/integrations/lever/{key}", timezone.now())
    pass_on()
    assert Order.objects.exists()
    assert Arrival.objects.exclude(order=None).exists()
    erase(mira().candidate, mode=mode, by=adam, now=timezone.now())
    for model in (Order, Arrival, Delivery):
        assert not model.objects.exists()


def test_an_administrator_connects_and_ends_one(
    clients: dict[str, Client], receiver: Receiver, stage: Stage
) -> None:
    page, adam = reverse("admin:tracking-make"), clients["adam"]
    form = {
        "kind": "lever", "label": "Lever EU", "person": stage.rhea.pk, "window_days": 5,
        "base_url": receiver.url,
    }  # fmt: skip
    assert clients["rhea"].post(page, form).status_code == 403
    missing = adam.post(page, form)
    assert missing.status_code == 409
    assert "Lever cannot work without its own API key" in words_of(missing)
    whole = form | {
        "outward_key": "own", "signature_key": "sig", "stage": "s-1", "exercise": stage.exercise.pk,
    }  # fmt: skip
    shown = adam.post(page, whole).content.decode()
    assert "/integrations/lever/hnc_" in shown
    row = Connection.objects.get()
    assert "own" not in row.outward_key
    seen = words_of(adam.get(reverse("admin:tracking-connection", args=[row.pk])))
    assert "s-1" in seen
    adam.post(reverse("admin:tracking-end", args=[row.pk]), {"reason": "Left Lever."})
    row.refresh_from_db()
    assert row.ended_at
    assert "Ended" in words_of(adam.get(reverse("admin:tracking")))
