"""Inviting, sending, replacing and revoking a link in the staff's pages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.urls import reverse

from hiring.invitations import find
from hiring.models import Candidate, Exercise, Invitation, Message, Opening
from hiring.tests.desk import NOW, PACK, Desk
from hiring.tests.mails import send_all
from hiring.tokens import digest

ADD = "admin:hiring_invitation_add"


def link_in(page: str) -> str:
    found = re.search(r'/t/([\w-]+)/"', page)
    assert found
    return found[1]


def invited(desk: Desk) -> tuple[Invitation, str]:
    page = desk.client.post(reverse(ADD), desk.form()).content.decode()
    return Invitation.objects.get(), link_in(page)


def test_link_is_shown_once_and_only_its_hash_is_stored(desk: Desk) -> None:
    """T1."""
    invitation, token = invited(desk)
    assert invitation.token_hash == digest(token)
    page = desk.client.get(reverse("admin:hiring_invitation_change", args=[invitation.pk]))
    assert token not in page.content.decode()
    assert LogEntry.objects.get().change_message == "Invited."


def test_link_that_is_made_or_sent_has_its_materials_prepared(desk: Desk) -> None:
    Exercise.objects.update(pack_name="cost/fleet-bill", kind="cost")
    invitation, _ = invited(desk)
    made = invitation.variants.get()
    assert made.finished_at is None
    invitation.variants.update(result="infrastructure_error", finished_at=NOW)
    desk.client.post(reverse("admin:invitation-send", args=[invitation.pk]))
    again = invitation.variants.get()
    assert (again.seed, again.finished_at) == (made.seed, None)


def test_sending_the_form_twice_invites_once(desk: Desk) -> None:
    desk.client.post(reverse(ADD), desk.form())
    again = desk.client.post(reverse(ADD), desk.form(), follow=True)
    assert Invitation.objects.count() == 1
    assert "made before" in again.content.decode()


def test_new_candidate_is_made_with_the_invitation(desk: Desk) -> None:
    data = desk.form(candidate="", name="Bo Li", email="bo@example.com")
    assert desk.client.post(reverse(ADD), data).status_code == 200
    assert Invitation.objects.get().candidate.name == "Bo Li"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"candidate": ""}, "Choose a candidate above, or give a name and an address."),
        ({"candidate": "", "name": "A", "email": "ADA@example.com"}, "with this address exists"),
        ({"exercises": []}, "Choose at least one exercise."),
        ({"exercises": ["999"]}, "Choose exercises of the opening above."),
        ({"exercises": ["x"]}, "is not a valid value"),
        ({"closes_at": "2036-01-01T10:00"}, "The window must close after it opens."),
        ({"opens_at": "2020-01-01T10:00", "closes_at": "2020-01-02T10:00"}, "has passed"),
        ({"opens_at": "soon"}, "Enter a valid date"),
        ({"opening": ""}, "This field is required."),
        ({"opening": "abc"}, "Select a valid choice."),
    ],
)
def test_form_says_what_is_wrong(desk: Desk, changes: dict[str, Any], sentence: str) -> None:
    answer = desk.client.post(reverse(ADD), desk.form(**changes))
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not Invitation.objects.exists()
    assert Candidate.objects.count() == 1


def test_exercises_must_belong_to_the_opening(desk: Desk) -> None:
    other = Opening.objects.create(title="Other", level="mid", created_at=NOW)
    strange = Exercise.objects.create(
        opening=other,
        pack_name=PACK,
        kind="automation",
        level="mid",
        limit_minutes=60,
        revision_minutes=15,
    )
    answer = desk.client.post(reverse(ADD), desk.form(exercises=[strange.pk]))
    assert "Choose exercises of the opening above." in answer.content.decode()


def test_two_take_home_exercises_are_warned_about(desk: Desk) -> None:
    """E5."""
    second = Exercise.objects.get(pk=desk.exercise.pk)
    second.pk = None
    second.save()
    page = desk.client.post(
        reverse(ADD), desk.form(exercises=[desk.exercise.pk, second.pk])
    ).content.decode()
    assert "A take-home link should hold one exercise" in page
    assert Invitation.objects.get().exercises.count() == 2


def test_form_starts_with_the_opening_and_a_week(desk: Desk) -> None:
    page = desk.client.get(reverse(ADD), {"opening": desk.opening.pk}).content.decode()
    assert f'<option value="{desk.opening.pk}" selected>' in page
    assert "checked" in page  # its only exercise
    assert desk.client.get(reverse(ADD), {"opening": "x"}).status_code == 404


def test_sending_mails_a_link_beside_the_one_they_hold(desk: Desk) -> None:
    invitation, token = invited(desk)
    url = reverse("admin:invitation-send", args=[invitation.pk])
    assert "keep working" in desk.client.get(url).content.decode()
    assert "is on its way" in desk.client.post(url, follow=True).content.decode()
    assert not mail.outbox  # a worker sends it
    send_all()
    (message,) = mail.outbox
    assert message.to == ["ada@example.com"]
    found = re.search(r"/t/([\w-]+)/", str(message.body))
    assert found is not None
    assert found[1] != token
    assert find(found[1]) == invitation
    assert find(token) == invitation
    assert found[1] not in str(list(Message.objects.values()))
    invitation.refresh_from_db()
    assert invitation.sent_at is not None
    desk.client.post(url)
    send_all()
    assert len(mail.outbox) == 2  # pressed again, sent again


def test_reminder_is_refused_where_nothing_is_left_to_start(desk: Desk) -> None:
    invitation, _ = invited(desk)
    url = reverse("admin:invitation-remind", args=[invitation.pk])
    assert "There is nothing to remind of" in desk.client.post(url).content.decode()
    Invitation.objects.update(opens_at=NOW)
    assert desk.client.post(url).status_code == 302
    send_all()
    assert "Still to start" in str(mail.outbox[0].body)


def test_new_link_replaces_the_old_one(desk: Desk) -> None:
    invitation, token = invited(desk)
    url = reverse("admin:invitation-replace", args=[invitation.pk])
    assert desk.client.post(url, {}).status_code == 400
    assert find(token) == invitation
    page = desk.client.post(url, {"reason": "Lost the mail."}).content.decode()
    assert find(link_in(page)) == invitation
    assert find(token) is None
    assert LogEntry.objects.filter(change_message__contains="Lost the mail.").exists()


def test_revoking_needs_a_reason_and_is_final(desk: Desk) -> None:
    invitation, token = invited(desk)
    url = reverse("admin:invitation-revoke", args=[invitation.pk])
    assert desk.client.post(url, {"reason": ""}).status_code == 400
    desk.client.post(url, {"reason": "Role was filled."})
    assert find(token) is None
    page = desk.client.get(reverse("admin:hiring_invitation_change", args=[invitation.pk]))
    assert "Role was filled." in page.content.decode()
    assert desk.client.post(url, {"reason": "Again."}).status_code == 409
    for name in ("send", "replace"):
        other = reverse(f"admin:invitation-{name}", args=[invitation.pk])
        assert desk.client.post(other, {"reason": "x"}).status_code == 409
    assert not mail.outbox


def test_invitation_cannot_be_deleted(desk: Desk) -> None:
    invitation, _ = invited(desk)
    url = reverse("admin:hiring_invitation_delete", args=[invitation.pk])
    assert desk.client.post(url, {"post": "yes"}).status_code == 403
    assert Invitation.objects.exists()


@pytest.mark.parametrize("window", ["scheduled", "open", "over", "revoked", "rubbish"])
@pytest.mark.by_day(but=["over"])
def test_list_is_filtered_by_window(desk: Desk, window: str) -> None:
    invited(desk)
    url = reverse("admin:hiring_invitation_changelist")
    page = desk.client.get(url, {"window": window}, follow=True).content.decode()
    assert ("Ada Fontaine" in page) is (window in ("scheduled", "rubbish"))


def test_a_title_with_a_line_break_makes_a_subject_of_one_line(desk: Desk) -> None:
    invitation, _ = invited(desk)
    Opening.objects.update(title="GPU\nengineer")
    desk.client.post(reverse("admin:invitation-send", args=[invitation.pk]))
    send_all()
    assert mail.outbox[0].subject == "Your work sample for GPU engineer"
