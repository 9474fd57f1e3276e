"""Links: what works, what does not, and that nothing tells the two kinds of not apart (T1)."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from assessments import attempts
from assessments.models import Attempt
from assessments.tests.stage import POLICIES, Stage, enter, make_stage
from hiring.invitations import invite, replace_link, revoke
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Accommodation, Invitation
from hiring.tests.mails import send_all
from hiring.tokens import digest

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(db: None) -> Stage:
    """The browser's requests happen now, so the window must be open now."""
    return make_stage(timezone.now())


def page(client: Client, token: str) -> tuple[int, str]:
    response = client.get(f"/t/{token}/", follow=True)
    text = re.sub(r'(nonce|name="csrf\w+" value|content)="[^"]+"', "", response.text)
    return response.status_code, text


def test_link_opens_the_overview_and_starts_no_clock(client: Client, stage: Stage) -> None:
    status, text = page(client, stage.token)
    assert status == 200
    assert stage.opening.title in text
    assert not Attempt.objects.exists()
    stage.invitation.refresh_from_db()
    assert stage.invitation.first_opened_at is not None


def test_token_is_stored_hashed(stage: Stage) -> None:
    assert stage.invitation.token_hash == digest(stage.token)
    assert len(stage.token) >= 32
    assert stage.token not in str(Invitation.objects.filter(pk=stage.invitation.pk).values())


def test_unknown_revoked_replaced_and_expired_links_look_the_same(
    client: Client, stage: Stage
) -> None:
    unknown = page(Client(), "nothing-like-a-token")
    now = timezone.now()
    _, token = invite(
        opening=stage.opening,
        candidate=stage.ada,
        exercises=[stage.exercise],
        opens_at=now - timedelta(days=9),
        closes_at=now - timedelta(days=2),
        by=stage.rhea,
        now=now,
    )
    assert page(Client(), token) == unknown
    replace_link(stage.invitation, now=now)
    assert page(Client(), stage.token) == unknown
    token = replace_link(stage.invitation, now=now)
    assert revoke(stage.invitation, by=stage.rhea, reason="Withdrew.", now=now)
    assert page(Client(), token) == unknown
    assert page(Client(), stage.token[:-2]) == unknown
    assert unknown[0] == 404


def test_revoking_shuts_out_who_is_already_in(client: Client, stage: Stage) -> None:
    enter(client, stage.token)
    revoke(stage.invitation, by=stage.rhea, reason="Withdrew.", now=timezone.now())
    assert client.get(f"/work/{stage.invitation.pk}/").status_code == 404


def test_pages_of_another_invitation_are_not_found(client: Client, stage: Stage) -> None:
    attempt = attempts.start(
        invitation=stage.invitation,
        exercise=stage.exercise,
        policies=POLICIES,
        now=timezone.now(),
    )
    for path in (
        f"/work/{stage.invitation.pk}/",
        f"/attempts/{attempt.pk}/",
        f"/attempts/{attempt.pk}/receipt/",
    ):
        assert client.get(path).status_code == 404


def test_start_needs_the_policies_accepted(client: Client, stage: Stage) -> None:
    enter(client, stage.token)
    start = f"/work/{stage.invitation.pk}/start/"
    refused = client.post(start, {"exercise": stage.exercise.pk})
    assert refused.status_code == 400
    assert not Attempt.objects.exists()
    begun = client.post(start, {"exercise": stage.exercise.pk, "accept": "yes"})
    assert begun.status_code == 302
    attempt = Attempt.objects.get()
    assert attempt.policies["references"] == stage.exercise.references_policy
    assert attempt.accepted_at == attempt.started_at


@pytest.mark.parametrize("number", ["", "x", "999999", "-1", "1e9", "²", "1" * 5000])
def test_start_of_no_exercise_is_not_found(client: Client, stage: Stage, number: str) -> None:
    enter(client, stage.token)
    start = f"/work/{stage.invitation.pk}/start/"
    assert client.post(start, {"exercise": number, "accept": "yes"}).status_code == 404


def test_same_link_resumes_on_another_device(stage: Stage) -> None:
    first, second = Client(), Client()
    enter(first, stage.token)
    first.post(
        f"/work/{stage.invitation.pk}/start/", {"exercise": stage.exercise.pk, "accept": "yes"}
    )
    attempt = Attempt.objects.get()
    enter(second, stage.token)
    assert second.get(f"/attempts/{attempt.pk}/").status_code == 200


def test_window_widens_with_the_accommodation(stage: Stage) -> None:
    plain = stage.invitation.window_closes_at()
    Accommodation.objects.create(
        candidate=stage.ada,
        multiplier="1.50",
        granted_by=stage.rhea,
        granted_at=timezone.now(),
    )
    length = stage.invitation.closes_at - stage.invitation.opens_at
    assert stage.invitation.window_closes_at() - plain == length / 2


def test_mail_carries_a_working_link_and_the_persons_own_minutes(stage: Stage) -> None:
    Accommodation.objects.create(
        candidate=stage.ada,
        multiplier="1.50",
        granted_by=stage.rhea,
        granted_at=timezone.now(),
    )
    invite_by_mail(stage.invitation, by=stage.rhea, now=timezone.now())
    send_all()
    (message,) = mail.outbox
    assert "90 minutes" in message.body
    found = re.search(r"/t/([\w-]+)/", str(message.body))
    assert found is not None
    assert page(Client(), found[1])[0] == 200
    assert page(Client(), stage.token)[0] == 200  # a link from before goes on working
    token = replace_link(stage.invitation, now=timezone.now())
    assert page(Client(), found[1])[0] == 404
    assert page(Client(), token)[0] == 200


def test_leaving_shuts_this_browser_out_until_the_link_is_opened_again(
    client: Client, stage: Stage
) -> None:
    assert "Nothing to leave here" in client.get("/leave/").text
    assert page(client, stage.token)[0] == 200
    lobby = f"/work/{stage.invitation.pk}/"
    assert f'href="{lobby}"' in client.get("/leave/").text
    left = client.post("/leave/")
    assert "You have left" in left.text
    assert left["Clear-Site-Data"] == '"cache"'
    assert client.get(lobby).status_code == 404
    assert page(client, stage.token)[0] == 200
    assert client.get(lobby).status_code == 200
