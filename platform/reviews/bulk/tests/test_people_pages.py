"""The recruiter's pages: a list read and corrected, added, invited; nothing before it was confirmed."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.tests.reading import words_of
from hiring.models import Candidate, Invitation, Message
from hiring.tests.desk import FAR, FARTHER, Desk, desk
from hiring.tests.mails import send_all

__all__ = ["desk"]
ADD = "admin:candidates-add-many"


def hidden(answer: Any) -> dict[str, str]:
    """The hidden fields of a page, as a browser sends them."""
    tags = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.content.decode())
    return {name: unescape(value) for name, value in tags if name != "csrfmiddlewaretoken"}


def shown(client: Client, text: str, query: str = "") -> Any:
    return client.post(reverse(ADD) + query, {"text": text})


def test_rows_are_shown_and_corrected_and_nothing_is_added_before(desk: Desk) -> None:
    page = shown(desk.client, "Bo,bo@example.com\nCleo,cleo@nowhere\nAda,ada@example.com")
    words = words_of(page)
    assert "3 rows: 1 new, 1 candidate already, <strong>1 wrong</strong>" in words
    assert "Row 2: “cleo@nowhere” is no e-mail address." in words
    assert "stays Ada Fontaine" in words
    assert Candidate.objects.count() == 1
    fixed = {"row-2-email": "cleo@example.com", "row-2-name": "Cleo", "check": "yes"}
    page = desk.client.post(reverse(ADD), hidden(page) | fixed)
    assert "3 rows: 2 new, 1 candidate already." in words_of(page)
    sent = hidden(page) | {"add": "yes"}
    done = desk.client.post(reverse(ADD), sent, follow=True)
    assert "Added 2 candidates. 1 were there already." in words_of(done)
    assert "3 candidates can be invited together" in words_of(done)
    again = desk.client.post(reverse(ADD), sent, follow=True)
    assert "it counts once" in words_of(again)
    assert Candidate.objects.count() == 3


def test_right_rows_go_in_without_the_wrong_ones_when_asked(desk: Desk) -> None:
    page = shown(desk.client, "Bo,bo@example.com\nCleo,nowhere")
    assert "Add 1, leave 1 out" in words_of(page)
    desk.client.post(reverse(ADD), hidden(page) | {"add": "yes"})
    assert set(Candidate.objects.values_list("name", flat=True)) == {"Ada Fontaine", "Bo"}


def test_a_file_is_read_and_its_list_can_be_changed(desk: Desk) -> None:
    raw = "Name;E-Mail;Büro\nZoë;zoe@example.com;3\n".encode("utf-16")
    file = SimpleUploadedFile("list.csv", raw)
    page = desk.client.post(reverse(ADD), {"text": "", "file": file})
    assert "Columns that are not used: Büro." in words_of(page)
    back = desk.client.post(reverse(ADD), hidden(page) | {"edit": "yes"})
    assert "Zoë\tzoe@example.com" in back.content.decode()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"text": ""}, "There is nobody in it"),
        ({"text": "Name,Phone\nA,1"}, "No column is headed"),
        ({"rows": "rubbish"}, "does not hold the rows"),
    ],
)
def test_what_cannot_be_read_keeps_what_was_typed(
    desk: Desk, data: dict[str, str], sentence: str
) -> None:
    answer = desk.client.post(reverse(ADD), data)
    assert answer.status_code == 400
    assert sentence in words_of(answer)
    assert data.get("text", "") in unescape(answer.content.decode())


def listed(desk: Desk, *people: tuple[str, str]) -> str:
    """The address of the invitation of those who were just added."""
    text = "\n".join(f"{name},{email}" for name, email in people)
    query = f"?opening={desk.opening.pk}"
    page = shown(desk.client, text, query)
    done = desk.client.post(reverse(ADD) + query, hidden(page) | {"add": "yes"})
    return str(done["Location"])


def terms(desk: Desk, **changes: Any) -> dict[str, Any]:
    return {
        "exercises": [desk.exercise.pk],
        "opens_at": FAR,
        "closes_at": FARTHER,
        "sends": "on",
        "subject": "Come, {{ name }}",
        "text": "Dear {{ name }}, work until {{ closes_at }}: {{ link }}",
        "press": str(uuid4()),
    } | changes


def test_all_of_a_list_are_invited_and_told_once(desk: Desk) -> None:
    url = listed(desk, ("Bo", "bo@example.com"), ("Cleo", "cleo@example.com"), ("Di", "di@e.com"))
    assert "Invite 3" in words_of(desk.client.get(url))
    data = terms(desk)
    page = desk.client.post(url, data | {"leave": [Candidate.objects.get(name="Di").pk]})
    words = words_of(page)
    assert "Dear Bo, work until Saturday 12 January 2036, 10:00 (UTC)" in words
    assert "is invited, by e-mail to cleo@example.com" in words
    assert not Invitation.objects.exists()
    di = Candidate.objects.get(name="Di").pk
    go = data | {"leave": [di], "invite": "yes", "shown": hidden(page)["shown"]}
    done = desk.client.post(url, go, follow=True)
    assert "Invited 2 candidates to GPU engineer. Their messages are on their way." in words_of(
        done
    )
    assert LogEntry.objects.filter(change_message="Invited.").count() == 2
    send_all()
    told = Message.objects.filter(occasion="invitation").order_by("pk")
    assert [row.subject for row in told] == ["Come, Bo", "Come, Cleo"]
    again = desk.client.post(url, go, follow=True)
    assert "Nobody was invited" in words_of(again)
    assert (Invitation.objects.count(), Message.objects.count()) == (2, 2)


def test_a_long_list_goes_on_with_the_next_press_and_the_same_words(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviews.bulk.inviting.AT_ONCE", 2)
    url = listed(desk, *[(f"P{n}", f"p{n}@example.com") for n in range(3)])
    data = terms(desk)
    go = data | {"invite": "yes", "shown": hidden(desk.client.post(url, data))["shown"]}
    first = desk.client.post(url, go)
    assert "Invited 2 candidates" in words_of(first)
    assert "1 more of the list can be invited now." in words_of(first)
    assert "Come, {{ name }}" in unescape(first.content.decode())
    assert "Invited 1 candidate to" in words_of(desk.client.post(url, go, follow=True))
    assert Invitation.objects.count() == Message.objects.count() == 3


def test_nothing_happens_that_was_not_shown(desk: Desk) -> None:
    url = listed(desk, ("Bo", "bo@example.com"))
    page = desk.client.post(url, terms(desk))
    changed = terms(desk, subject="Other words", invite="yes", shown=hidden(page)["shown"])
    answer = desk.client.post(url, changed)
    assert answer.status_code == 409
    assert "You changed something since the page was shown" in words_of(answer)
    assert "Other words" in answer.content.decode()
    assert not Invitation.objects.exists()


def test_who_is_invited_already_is_left_out_and_told_why(desk: Desk) -> None:
    url = listed(desk, ("Bo", "bo@example.com"), ("Ada", "ada@example.com"))
    desk.client.post(reverse("admin:hiring_invitation_add"), desk.form(send="yes"))
    page = desk.client.post(url, terms(desk))
    assert "is invited to this opening since" in words_of(page)
    assert "Invite 1" in words_of(page)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"exercises": []}, "Choose at least one exercise."),
        ({"closes_at": "2036-01-01T10:00"}, "The window must close after it opens."),
        ({"closes_at": "2020-01-01T10:00", "opens_at": "2019-01-01T10:00"}, "has passed"),
        ({"text": "Hello {{ salary }}"}, "is no variable of this message"),
        ({"subject": "{% now %}"}, "is a tag"),
        ({"ahead_at": FAR}, "None of the chosen exercises can be shown ahead."),
    ],
)
def test_terms_say_what_is_wrong(desk: Desk, changes: dict[str, Any], sentence: str) -> None:
    url = listed(desk, ("Bo", "bo@example.com"))
    answer = desk.client.post(url, terms(desk, **changes) | {"invite": "yes"})
    assert answer.status_code == 400
    assert sentence in unescape(words_of(answer))
    assert not Invitation.objects.exists()


def test_make_and_send_is_one_step(desk: Desk) -> None:
    answer = desk.client.post(
        reverse("admin:hiring_invitation_add"), desk.form(send="yes"), follow=True
    )
    assert "The invitation to ada@example.com is on its way." in words_of(answer)
    assert Message.objects.get().occasion == "invitation"
    assert "/t/" not in answer.content.decode().partition("<main")[2]


def test_a_list_that_is_not_kept_any_more_is_asked_for_again(desk: Desk) -> None:
    answer = desk.client.get(reverse("admin:invite-many"), {"list": "gone"}, follow=True)
    assert "the list is not kept any more" in words_of(answer)
