"""The log, the words, one's own mail and the result, as staff press them."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from hiring.invitations import find
from hiring.messages import digests
from hiring.messages.occasions import occasions
from hiring.messages.to_candidates import invite_by_mail
from hiring.messages.wording import LINK
from hiring.models import Erasure, Invitation, MailedLink, MailPreference, Message, MessageWords
from hiring.tests.mails import mail_server, send_all
from reviews.decisions.decisions import decide
from reviews.messages import to_staff
from reviews.privacy.candidate_export import export
from reviews.privacy.erasure import erase
from reviews.tests.scene import LATER

WORDS = {"subject": "Come, {{ name }}", "text": "At {{ opening }}: {{ link }}"}


def shown(client: Client, name: str, *args: Any, **query: Any) -> str:
    answer = client.get(reverse(f"admin:{name}", args=args), query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def invited(stage: Stage) -> Message:
    message = invite_by_mail(stage.invitation, by=stage.rhea, now=NOW)
    assert message
    return message


def test_log_says_of_each_person_what_was_sent_and_what_the_server_answered(
    invited: Message, stage: Stage, clients: dict[str, Client], settings: Any
) -> None:
    assert "Queued" in shown(clients["rhea"], "messages")
    with mail_server(settings, {"RCPT": "550 5.1.1 no such mailbox"}):
        send_all(NOW)
    page = shown(clients["rhea"], "messages", candidate=stage.ada.pk)
    assert "Refused" in page
    assert "550 5.1.1 no such mailbox" in page
    assert "ada@example.com" in page
    assert "550" not in shown(clients["rhea"], "messages", state="sent")
    assert "550" in shown(clients["rhea"], "messages", state="refused")
    Message.objects.update(refused_at=timezone.now())
    assert "Messages that did not arrive" in shown(clients["rhea"], "index")
    assert "did not arrive" not in shown(clients["hana"], "index")
    page = shown(clients["rhea"], "message", invited.pk)
    assert LINK in page
    url = reverse("admin:message-again", args=[invited.pk])
    assert clients["rhea"].post(url, {"reason": ""}).status_code == 400
    assert clients["rhea"].post(url, {"reason": "Address mended."}).status_code == 302
    assert Message.objects.filter(occasion="invitation").count() == 2
    assert "did not arrive" not in shown(clients["rhea"], "index")


def test_message_that_is_on_its_way_is_not_sent_again(
    invited: Message, clients: dict[str, Client]
) -> None:
    url = reverse("admin:message-again", args=[invited.pk])
    answer = clients["rhea"].post(url, {"reason": "Quick."})
    assert answer.status_code == 409
    assert "still on its way" in answer.content.decode()


def test_who_scores_finds_no_message_that_names_the_candidate(
    handed_in: Attempt, invited: Message, stage: Stage, clients: dict[str, Client]
) -> None:
    """A hiring manager on the panel reads their own mail, and nothing that was sent to the candidate."""
    assert "Ada Fontaine" in shown(clients["hana"], "messages")
    handed_in.assignments.create(evaluator=stage.hana, assigned_by=stage.rhea, assigned_at=LATER)
    page = shown(clients["hana"], "messages")
    assert "Fontaine" not in page
    assert "ada@example.com" not in page
    assert clients["hana"].get(reverse("admin:message", args=[invited.pk])).status_code == 404
    by_person = {"candidate": stage.ada.pk}
    assert clients["hana"].get(reverse("admin:messages"), by_person).status_code == 404
    assert clients["ines"].get(reverse("admin:messages")).status_code == 403
    assert "Fontaine" not in shown(clients["ines"], "my-mail")
    assert stage.ada.pseudonym in shown(clients["ines"], "my-mail")


def test_words_are_previewed_kept_and_undone(stage: Stage, clients: dict[str, Client]) -> None:
    url = reverse("admin:message-words-edit", args=["invitation"])
    page = clients["rhea"].post(url, WORDS | {"preview": "1"}).content.decode()
    assert "Come, Ada Fontaine" in page
    assert "not kept yet" in page
    assert not MessageWords.objects.exists()
    assert clients["rhea"].post(url, WORDS).status_code == 302
    assert "your organisation’s" in shown(clients["rhea"], "message-words")
    own = reverse("admin:opening-words-edit", args=[stage.opening.pk, "invitation"])
    clients["rhea"].post(own, WORDS | {"subject": "Just here"})
    invite_by_mail(stage.invitation, by=stage.rhea, now=NOW)
    assert Message.objects.get().subject == "Just here"
    assert "this opening’s own" in shown(clients["rhea"], "opening-words", stage.opening.pk)
    clients["rhea"].post(own, {"undo": "1"})
    clients["rhea"].post(url, {"undo": "1"})
    assert "your organisation’s" not in shown(clients["rhea"], "message-words")
    assert MessageWords.objects.count() == 4  # nothing was overwritten


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("{% now 'Y' %}", "is a tag"), ("{{ password }}", "is no variable"), ("", "required")],
)
def test_words_that_cannot_be_used_are_refused_in_a_sentence(
    clients: dict[str, Client], text: str, sentence: str
) -> None:
    url = reverse("admin:message-words-edit", args=["invitation"])
    answer = clients["rhea"].post(url, WORDS | {"text": text})
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert not MessageWords.objects.exists()


def test_every_variable_of_an_occasion_is_listed(clients: dict[str, Client]) -> None:
    for occasion in occasions().values():
        page = shown(clients["rhea"], "message-words-edit", occasion.key)
        assert [name for name in occasion.names if f"{{{{ {name} }}}}" not in page] == []
    nothing = reverse("admin:message-words-edit", args=["nothing"])
    assert clients["rhea"].get(nothing).status_code == 404


def test_pages_say_that_mail_is_not_configured(
    stage: Stage, clients: dict[str, Client], settings: Any
) -> None:
    pages = [
        ("messages", []),
        ("message-words", []),
        ("my-mail", []),
        ("hiring_invitation_change", [stage.invitation.pk]),
    ]
    for name, args in pages:
        assert "Mail is not configured" not in shown(clients["rhea"], name, *args)
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    for name, args in pages:
        assert "Mail is not configured" in shown(clients["rhea"], name, *args)
    Invitation.objects.update(closes_at=timezone.now() + timedelta(days=1))
    sent = reverse("admin:invitation-send", args=[stage.invitation.pk])
    said = clients["rhea"].post(sent, follow=True).content.decode()
    assert "reaches nobody yet" in said


def test_result_is_told_by_a_person_once_in_the_words_they_read(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    url = reverse("admin:decision-tell", args=[handed_in.pk])
    words = {"subject": "About {{ opening }}", "text": "Dear {{ name }}, thank you."}
    words["tell"] = "on"
    refused = clients["hana"].post(url, words)
    assert refused.status_code == 409
    assert "Nothing final is decided yet" in refused.content.decode()
    given: dict[str, Any] = {
        "opening": stage.opening,
        "candidate": stage.ada,
        "by": stage.hana,
        "now": LATER,
    }
    decide(**given, outcome="decline", reasons="Not enough depth.")
    assert not Message.objects.filter(recipient=None, occasion__startswith="result").exists()
    assert "go on with other candidates" in clients["hana"].get(url).content.decode()
    assert clients["hana"].post(url, words | {"text": "{% x %}"}).status_code == 400
    clients["hana"].post(url, words)
    clients["hana"].post(url, words)
    row = Message.objects.get(occasion="result_declined")
    assert (row.subject, row.text) == ("About GPU engineer", "Dear Ada Fontaine, thank you.\n")


def test_digest_holds_the_day_in_one_message(
    handed_in: Attempt, stage: Stage, clients: dict[str, Client]
) -> None:
    stage.ines.email = "ines@corp.example"
    stage.ines.save()
    url = reverse("admin:my-mail")
    kept = {"digest": "on", "time_zone": "Asia/Tokyo"}
    assert clients["ines"].post(url, kept | {"time_zone": "Mars"}).status_code == 400
    assert clients["ines"].post(url, kept).status_code == 302
    answer = handed_in.submissions.get()
    to_staff.answer_in(answer, now=NOW)
    to_staff.card_owed(answer, stage.ines, now=NOW, late=True)
    send_all(NOW)
    assert [row for row in mail.outbox if row.to == ["ines@corp.example"]] == []
    assert "Kept for the digest" in shown(clients["ines"], "my-mail")
    before = NOW.replace(hour=21, minute=50)  # 6:50 of the next morning in Tokyo
    assert digests.write_all(now=before) == []
    assert len(digests.write_all(now=before + timedelta(minutes=20))) == 1
    assert digests.write_all(now=before + timedelta(minutes=40)) == []
    send_all(before + timedelta(minutes=40))
    (message,) = [row for row in mail.outbox if row.to == ["ines@corp.example"]]
    assert "2 things" in message.subject
    assert str(message.body).count("/score/") == 2
    assert "Kept for the digest" not in shown(clients["ines"], "my-mail")


def test_digest_that_is_switched_off_lets_go_of_what_was_kept(
    handed_in: Attempt, stage: Stage
) -> None:
    stage.ines.email = "ines@corp.example"
    stage.ines.save()
    MailPreference.objects.create(user=stage.ines, digest=True)
    to_staff.answer_in(handed_in.submissions.get(), now=NOW)
    MailPreference.objects.update(digest=False)
    assert len(digests.write_all(now=NOW.replace(hour=1))) == 1


@pytest.mark.parametrize("mode", [Erasure.Mode.PSEUDONYMISE, Erasure.Mode.ERASE])
def test_messages_and_their_links_go_with_the_person(
    handed_in: Attempt, invited: Message, stage: Stage, mode: str
) -> None:
    send_all(NOW)
    token = str(mail.outbox[-1].body).split("/t/")[1].split("/")[0]
    assert find(token) == stage.invitation
    with zipfile.ZipFile(io.BytesIO(export(stage.ada))) as archive:
        said = json.loads(archive.read("data.json"))["messages"]
    assert sorted(row["subject"].split()[0] for row in said) == ["We", "Your"]
    stone = erase(stage.ada, mode=mode, by=None, now=LATER)
    assert stone.mode == mode  # a message that greets them does not force the work to go
    assert not Message.objects.filter(candidate=stage.ada).exists()
    assert not MailedLink.objects.exists()
    assert find(token) is None
    assert Attempt.objects.exists() is (mode == Erasure.Mode.PSEUDONYMISE)
