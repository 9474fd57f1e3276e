"""The outbox: sent once at most, tried again while the server is away, and what it said is kept."""

from __future__ import annotations

import email
import email.policy
import ssl
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail

from hiring.invitations import find, invite, revoke
from hiring.messages import delivery, outbox
from hiring.messages.to_candidates import invite_by_mail
from hiring.models import Candidate, Invitation, MailedLink, Message
from hiring.tests.desk import NOW, Desk
from hiring.tests.mails import mail_server, send_all, states

WEEK = timedelta(days=7)


@pytest.fixture
def invitation(desk: Desk) -> Invitation:
    made, _ = invite(
        opening=desk.opening,
        candidate=desk.ada,
        exercises=[desk.exercise],
        opens_at=NOW,
        closes_at=NOW + WEEK,
        by=desk.rhea,
        now=NOW,
    )
    return made


@pytest.fixture
def queued(desk: Desk, invitation: Invitation) -> Message:
    message = invite_by_mail(invitation, by=desk.rhea, now=NOW)
    assert message
    return message


@pytest.fixture
def certificate(tmp_path: Path) -> ssl.SSLContext:
    pair = tmp_path / "pair.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout -"
    pair.write_text(
        subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair)
    return context


def said_to(server: Any) -> email.message.EmailMessage:
    (taken,) = server.taken
    return email.message_from_string(taken, policy=email.policy.default)


def test_it_goes_out_by_smtp_with_sign_in_text_html_and_calendar(
    queued: Message, settings: Any
) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "hn", "secret"
    with mail_server(settings) as server:
        assert send_all(NOW) == 1
    assert server.signed_in == ["hn:secret"]
    message = said_to(server)
    kinds = [part.get_content_type() for part in message.walk() if not part.is_multipart()]
    assert kinds == ["text/plain", "text/html", "text/calendar"]
    assert message["To"] == "ada@example.com"
    assert message["Reply-To"] == settings.CONTACT_EMAIL
    assert states(NOW) == ["sent"]


def test_it_is_secured_by_starttls(
    queued: Message, settings: Any, certificate: ssl.SSLContext, monkeypatch: Any
) -> None:
    trusting = ssl._create_unverified_context()  # noqa: S323  (the certificate is the test's own)
    monkeypatch.setattr("django.core.mail.backends.smtp.EmailBackend.ssl_context", trusting)
    with mail_server(settings, tls=certificate) as server:
        send_all(NOW)
    assert server.was_secured
    assert states(NOW) == ["sent"]


def test_address_that_the_server_refuses_ends_with_its_answer_and_holds_up_nobody(
    desk: Desk, queued: Message, settings: Any
) -> None:
    with mail_server(settings, {"RCPT": "550 5.1.1 no such mailbox here"}) as server:
        send_all(NOW)
    assert server.taken == []
    queued.refresh_from_db()
    assert queued.state(NOW) == "refused"
    assert queued.answer == "550 5.1.1 no such mailbox here"
    assert not MailedLink.objects.exists()
    outbox.again(queued, by=desk.rhea, now=NOW)
    with mail_server(settings):
        send_all(NOW)
    assert states(NOW) == ["refused", "sent"]


@pytest.mark.parametrize(
    "answers",
    [
        {"RCPT": "451 4.7.1 greylisted, come back"},
        {"AUTH": "535 5.7.8 wrong password"},
        {"MAIL": "550 sender not allowed"},
        {"CONNECT": "421 too busy"},
        {"END": "452 disk full"},
    ],
)
def test_what_is_put_off_waits_longer_each_time_and_then_goes_out(
    queued: Message, settings: Any, answers: dict[str, str]
) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "hn", "secret"
    at = NOW
    for minutes in (1, 2, 4):
        with mail_server(settings, answers):
            assert send_all(at) == 1
            assert send_all(at) == 0  # not at once again
        queued.refresh_from_db()
        assert next(iter(answers.values()))[:3] in queued.answer
        assert queued.state(at) == "queued"
        assert queued.due_at == at + timedelta(minutes=minutes)
        at = queued.due_at
    with mail_server(settings) as server:
        send_all(at)
    assert len(server.taken) == 1
    assert states(at) == ["sent"]


def test_server_that_is_away_for_two_days_is_given_up(queued: Message, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    send_all(NOW)
    queued.refresh_from_db()
    assert "could not be reached" in queued.answer
    send_all(NOW + timedelta(days=2, minutes=1))
    queued.refresh_from_db()
    assert queued.state(NOW) == "refused"
    assert queued.answer.startswith("Given up after two days.")


def test_connection_that_breaks_after_the_words_is_uncertain_and_not_sent_again(
    queued: Message, settings: Any
) -> None:
    with mail_server(settings, {"END": ""}) as server:
        send_all(NOW)
        send_all(NOW + timedelta(hours=3))
    assert len(server.taken) == 1
    queued.refresh_from_db()
    assert queued.state(NOW) == "uncertain"
    assert "may have gone out" in queued.answer


def test_worker_killed_before_handing_over_loses_nothing(
    queued: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(delivery, "_opened", die)
        with pytest.raises(Killed):
            send_all(NOW)
    assert send_all(NOW + timedelta(minutes=1), "worker-2") == 0  # its lease is not over yet
    assert send_all(NOW + delivery.LEASE, "worker-2") == 1
    assert len(mail.outbox) == 1


def test_worker_killed_between_sending_and_writing_it_down_does_not_send_twice(
    queued: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(delivery, "_end", die)
        with pytest.raises(Killed):
            send_all(NOW)
    assert len(mail.outbox) == 1
    later = NOW + timedelta(hours=5)
    assert send_all(later, "worker-2") == 0
    assert len(mail.outbox) == 1
    assert states(later) == ["uncertain"]
    (link,) = MailedLink.objects.all()
    assert link.invitation == queued.invitation  # what may have arrived works


def test_two_workers_send_one_row_once(queued: Message) -> None:
    assert delivery.deliver(queued.pk, "one", NOW)
    assert not delivery.deliver(queued.pk, "two", NOW)
    assert len(mail.outbox) == 1


def test_telling_twice_queues_once(desk: Desk, invitation: Invitation) -> None:
    told = outbox.Told("receipt", "answer 1", candidate=desk.ada, invitation=invitation)
    assert outbox.tell_candidate(told, now=NOW)
    assert outbox.tell_candidate(told, now=NOW) is None
    told = outbox.Told("assigned", "attempt 1", candidate=desk.ada)
    desk.rhea.email = "rhea@example.com"
    assert outbox.tell_staff(told, desk.rhea, now=NOW)
    assert outbox.tell_staff(told, desk.rhea, now=NOW) is None
    assert Message.objects.count() == 2


def test_account_without_an_address_is_said_in_the_log(desk: Desk) -> None:
    row = outbox.tell_staff(outbox.Told("assigned", "attempt 1"), desk.rhea, now=NOW)
    assert row
    assert row.state(NOW) == "refused"
    assert "has no e-mail address" in row.answer


def test_what_is_pointless_by_now_is_not_sent(
    desk: Desk, queued: Message, invitation: Invitation
) -> None:
    revoke(invitation, by=desk.rhea, reason="Filled.", now=NOW)
    send_all(NOW)
    queued.refresh_from_db()
    assert queued.answer == "Not sent: the invitation was revoked."
    Invitation.objects.update(revoked_at=None)
    late = outbox.again(queued, by=desk.rhea, now=NOW)
    send_all(NOW + WEEK)
    late.refresh_from_db()
    assert "was over before it could go out" in late.answer
    assert not mail.outbox


def test_address_that_was_put_right_meanwhile_is_the_one_it_goes_to(queued: Message) -> None:
    Candidate.objects.update(email="ada.fontaine@example.com")
    send_all(NOW)
    assert mail.outbox[0].to == ["ada.fontaine@example.com"]


def test_link_is_made_when_it_goes_out_and_stored_nowhere(
    queued: Message, invitation: Invitation
) -> None:
    send_all(NOW)
    body = str(mail.outbox[0].body)
    token = body.split("/t/")[1].split("/")[0]
    assert find(token) == invitation
    kept = str(list(Message.objects.values())) + str(list(MailedLink.objects.values()))
    assert token not in kept


def test_broker_that_is_away_costs_no_message(
    desk: Desk,
    invitation: Invitation,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("celery.Celery.send_task", broken)
    with django_capture_on_commit_callbacks(execute=True):
        assert invite_by_mail(invitation, by=desk.rhea, now=NOW)
    assert send_all(NOW) == 1


def test_message_id_is_the_same_for_each_try_of_one_row(queued: Message, settings: Any) -> None:
    with mail_server(settings, {"END": "451 later"}) as first:
        send_all(NOW)
    with mail_server(settings) as second:
        send_all(NOW + timedelta(minutes=1))
    assert said_to(first)["Message-ID"] == said_to(second)["Message-ID"]


def test_invitation_is_marked_as_sent_when_it_was(queued: Message, invitation: Invitation) -> None:
    invitation.refresh_from_db()
    assert invitation.sent_at is None
    send_all(NOW)
    invitation.refresh_from_db()
    assert invitation.sent_at == NOW
