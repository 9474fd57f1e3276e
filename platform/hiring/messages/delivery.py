"""Send what waits in the outbox: claimed under a lease, tried again while the server is away, once at most.

Before the words are handed to the mail server the row says so. Whoever dies after that leaves a row
that may or may not have gone out: it is never sent again by itself, and the log says "uncertain". What
the server refused for good ends with its answer; what it put off, or could not be asked, waits longer
after each try.
"""

from __future__ import annotations

import hashlib
import secrets
import smtplib
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import BadHeaderError, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from hiring.languages import of_messages
from hiring.message_rows import MessageQuerySet
from hiring.messages.wording import LINK, as_html
from hiring.models import Invitation, MailedLink, Message
from hiring.tokens import TOKEN_BYTES, digest, link_to

LEASE = timedelta(minutes=3)
"""Longer than one conversation with a server that takes EMAIL_TIMEOUT for each of its answers."""
PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
PATIENCE = timedelta(days=2)
AT_ONCE = 50
FOR_GOOD = 500
GOES_NOWHERE = ("filebased", "console", "dummy")
TO_A_FILE = "Mail is not configured: the message was written to a file and reached nobody."
CUT_OFF = "The connection broke while the message was handed over. It may have gone out."


class PutOff(Exception):
    """Nothing went out; it can be tried again. The text is what the server or the network said."""


class RefusedForGood(Exception):
    """Nothing went out and nothing will; the text says why."""


def is_configured() -> bool:
    """Whether messages leave this machine at all."""
    return not any(word in settings.EMAIL_BACKEND for word in GOES_NOWHERE)


def send_due(worker: str, clock: Callable[[], datetime]) -> int:
    """Send what is due, oldest first; how many rows were tried."""
    keys = Message.objects.startable(clock()).order_by("due_at", "pk").values_list("pk", flat=True)
    return sum(deliver(pk, worker, clock()) for pk in list(keys[:AT_ONCE]))


def deliver(pk: int, worker: str, now: datetime) -> bool:
    """Try one row; False where somebody else has it."""
    if not Message.objects.claim(pk, worker, now, now + LEASE):
        return False
    row = Message.objects.select_related("candidate", "recipient", "invitation__candidate").get(
        pk=pk
    )
    try:
        _send(row, now)
    except PutOff as said:
        _put_back(row, str(said), now)
    except RefusedForGood as said:
        _end(row, now, refused_at=now, answer=str(said))
    return True


def _send(row: Message, now: datetime) -> None:
    if why := _obstacle(row, now):
        raise RefusedForGood(why)
    connection = _opened()
    try:
        mail = _mail(row, connection, now)
        if not _mine(row).filter(lease_until__gt=now).update(handed_at=now):
            return  # the lease ran out before the server answered: another worker has the row
        said = _hand_over(mail)
    finally:
        connection.close()
    if said:
        _end(row, now, answer=said)
        return
    _end(row, now, sent_at=now, answer="" if is_configured() else TO_A_FILE)
    if row.occasion == "invitation" and row.invitation:
        Invitation.objects.filter(pk=row.invitation.pk).update(sent_at=now)


def _obstacle(row: Message, now: datetime) -> str:
    """Why it must not go out any more, "" where it may."""
    if row.useless_after and now >= row.useless_after:
        return "Not sent: what it is about was over before it could go out."
    if row.invitation and row.invitation.revoked_at and LINK in row.text:
        return "Not sent: the invitation was revoked."
    if row.recipient and not (row.recipient.is_active and row.recipient.has_access(now)):
        return "Not sent: the account has no access any more."
    person = row.recipient or row.candidate
    row.address = person.email if person else row.address  # it may have been put right since
    return "" if row.address else "Not sent: there is no address."


def _opened() -> BaseEmailBackend:
    """A connection that has greeted and signed in; PutOff where that did not work."""
    try:
        connection: BaseEmailBackend = get_connection()
        connection.open()
    except smtplib.SMTPResponseException as error:
        raise PutOff(_said(error.smtp_code, error.smtp_error)) from error
    except (OSError, smtplib.SMTPException) as error:  # OSError: refused, timed out, no such host
        raise PutOff(f"The mail server could not be reached: {error}") from error
    return connection


def _mail(row: Message, connection: BaseEmailBackend, now: datetime) -> EmailMultiAlternatives:
    """The message in text and HTML, with a link of its own where its words have one."""
    text = row.text
    if LINK in text and row.invitation:
        text = text.replace(LINK, link_to(_new_link(row, row.invitation, now)))
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    mark = hashlib.sha256(f"{settings.SECRET_KEY} {row.pk}".encode()).hexdigest()[:20]
    mail = EmailMultiAlternatives(
        row.subject,
        text,
        to=[row.address],
        connection=connection,
        reply_to=[settings.CONTACT_EMAIL] if row.recipient is None else None,
        headers={"Message-ID": f"<{mark}@{host}>", "Auto-Submitted": "auto-generated"},
    )
    language = of_messages(row.invitation) if row.recipient is None else "en"
    mail.attach_alternative(as_html(text, language), "text/html")
    if row.calendar:
        mail.attach("calendar.ics", row.calendar, "text/calendar")
    try:
        mail.message()
    except (BadHeaderError, ValueError) as error:
        raise RefusedForGood(f"Not sent: the message cannot be written. {error}") from error
    return mail


def _new_link(row: Message, invitation: Invitation, now: datetime) -> str:
    """A token whose hash is kept before it goes out: a link that arrives always works."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    row.links.all().delete()  # of a try before, which did not go out
    row.links.add(
        MailedLink(invitation=invitation, token_hash=digest(token), made_at=now), bulk=False
    )
    return token


def _hand_over(mail: EmailMultiAlternatives) -> str:
    """Give it to the server; "" where it was taken, a sentence where nobody can know.

    PutOff and RefusedForGood where the server said so itself: nothing went out then.
    """
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as error:
        code, answer = next(iter(error.recipients.values()))
        raise _no(code, answer) from error
    except smtplib.SMTPSenderRefused as error:  # our own address: nothing is wrong with theirs
        raise PutOff(_said(error.smtp_code, error.smtp_error)) from error
    except smtplib.SMTPNotSupportedError as error:
        raise RefusedForGood(f"The mail server cannot take such an address: {error}") from error
    except smtplib.SMTPResponseException as error:
        raise _no(error.smtp_code, error.smtp_error) from error
    except (OSError, smtplib.SMTPException) as error:
        return f"{CUT_OFF} {error}".strip()
    return ""


def _no(code: int, answer: bytes | str) -> Exception:
    return (RefusedForGood if code >= FOR_GOOD else PutOff)(_said(code, answer))


def _said(code: int, answer: bytes | str) -> str:
    words = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    return f"{code} {' '.join(words.split())}"


def _mine(row: Message) -> MessageQuerySet:
    return Message.objects.filter(pk=row.pk, worker=row.worker, tries=row.tries)


def _put_back(row: Message, said: str, now: datetime) -> None:
    if now - row.queued_at > PATIENCE:
        _end(row, now, refused_at=now, answer=f"Given up after two days. {said}")
        return
    pause = min(PAUSE * 2 ** min(row.tries - 1, 10), LONGEST_PAUSE)
    row.links.all().delete()
    _mine(row).update(worker="", lease_until=None, handed_at=None, due_at=now + pause, answer=said)


def _end(row: Message, now: datetime, **facts: datetime | str) -> None:
    """Write down what became of it; the lease ends with it."""
    if "refused_at" in facts:
        row.links.all().delete()
        facts["handed_at"] = None  # type: ignore[assignment]
    _mine(row).update(address=row.address, lease_until=now, **facts)
