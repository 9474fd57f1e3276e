"""Put a message into the outbox, in the transaction of what it tells of: told once, whoever asks again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from kombu.exceptions import OperationalError

from accounts.models import User
from hiring import languages
from hiring.messages.occasions import TO_CANDIDATE, Occasion, occasions
from hiring.messages.together import current
from hiring.messages.wording import LINK, Words, words_for, written
from hiring.models import Candidate, Invitation, MailPreference, Message, Opening
from hiring.trials import is_trial

logger = logging.getLogger(__name__)
NO_ADDRESS = "Not sent: the account has no e-mail address. Enter one under Settings, Staff."
RING_EXPIRES_S = 30


@dataclass(frozen=True)
class Told:
    """What is told: the occasion's key, what it is about, and the values that its words need."""

    occasion: str
    about: str
    values: dict[str, str] = field(default_factory=dict)
    opening: Opening | None = None
    candidate: Candidate | None = None
    invitation: Invitation | None = None
    page: str = ""
    calendar: str = ""
    useless_after: datetime | None = None


def site_page(name: str, *args: Any) -> str:
    """The whole address of a page, as messages carry it."""
    return settings.SITE_URL + reverse(name, args=args)


def tell_candidate(
    what: Told, *, now: datetime, by: User | None = None, words: Words | None = None
) -> Message | None:
    """Queue a message to the candidate; None where they were told before, or are staff at a trial.

    Within `together` the row is stored at its end, and whether they were told before is found out then.
    """
    if what.candidate is None:
        raise ValueError("a message to a candidate says to whom")
    if is_trial(what.candidate):
        return None
    batch = current()
    if batch and words is None:
        language = languages.of_messages(what.invitation)
        words = batch.words(occasions()[what.occasion], what.opening, language)
    row = _row(what, what.candidate.name, what.candidate.email, words, now, by)
    if batch:
        batch.rows.append(row)
        return row
    return _queued(row)


def tell_staff(what: Told, to: User, *, now: datetime, by: User | None = None) -> Message | None:
    """Queue a message to a member of staff, for their digest if they want one; None if told before."""
    row = _row(what, to.get_full_name() or to.username, to.email, None, now, by)
    row.recipient = to
    if not to.email:
        row.refused_at, row.answer = now, NO_ADDRESS
    elif what.occasion != "digest" and not what.calendar:  # a digest carries no calendar file
        row.for_digest = MailPreference.objects.filter(user=to, digest=True).exists()
    return _queued(row)


def _row(
    what: Told, name: str, address: str, words: Words | None, now: datetime, by: User | None
) -> Message:
    occasion = occasions()[what.occasion]
    values = values_of(occasion, what, name)
    language = languages.of_messages(what.invitation) if occasion.to == TO_CANDIDATE else ""
    said = written(occasion, words or words_for(occasion, what.opening, language), values)
    return Message(
        occasion=occasion.key,
        subject_key=what.about,
        candidate=what.candidate,
        invitation=what.invitation,
        opening=what.opening,
        queued_by=by,
        address=address,
        subject=said.subject,
        text=said.text,
        calendar=what.calendar,
        queued_at=now,
        due_at=now,
        useless_after=what.useless_after,
    )


def values_of(occasion: Occasion, what: Told, name: str) -> dict[str, str]:
    """Every variable that the occasion's words may use."""
    found = {
        "name": name,
        "organisation": settings.ORGANISATION,
        "contact_email": settings.CONTACT_EMAIL,
        "opening": what.opening.title if what.opening else "",
        "page": what.page,
    }
    if occasion.to == TO_CANDIDATE:
        found["link"] = LINK
    return {key: value for key, value in (found | what.values).items() if key in occasion.names}


def _queued(row: Message) -> Message | None:
    """The row, saved; None where the same thing was told to the same person before."""
    same: dict[str, Any] = {
        "occasion": row.occasion,
        "subject_key": row.subject_key,
        "recipient": row.recipient,
    }
    if row.recipient is None:
        same["candidate"] = row.candidate
    values = {
        name: getattr(row, name)
        for name in (item.attname for item in Message._meta.concrete_fields)
        if name not in {"id", "recipient_id", *same}
    }
    if row.recipient is None:
        values.pop("candidate_id")
    kept, made = Message.objects.get_or_create(**same, defaults=values)
    if not made:
        return None
    transaction.on_commit(ring)
    return kept


def ring() -> None:
    """Say that something waits. A broker that does not answer is logged and left to the schedule."""
    try:
        current_app.send_task("hiring.tasks.send_messages", expires=RING_EXPIRES_S, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take the bell for messages: %s", error)


def again(message: Message, *, by: User, now: datetime) -> Message:
    """Queue the same words once more, because a person asked: the only way that somebody is told twice."""
    row = Message.objects.get(pk=message.pk)
    count = Message.objects.filter(
        occasion=row.occasion, candidate=row.candidate, recipient=row.recipient
    ).count()
    row.pk, row.id = None, None
    row._state.adding = True
    row.subject_key = f"{row.subject_key.partition(' again ')[0]} again {count}"
    row.queued_by, row.queued_at, row.due_at = by, now, now
    row.tries, row.worker, row.answer, row.for_digest = 0, "", "", False
    row.lease_until = row.handed_at = row.sent_at = row.refused_at = row.carried_by = None
    row.save()
    transaction.on_commit(ring)
    return row
