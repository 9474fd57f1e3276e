"""Make, replace, find and revoke the links by which candidates come in; messages send them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from hiring.models import Candidate, Exercise, Invitation, MailedLink, Opening
from hiring.tokens import TOKEN_BYTES, digest


@transaction.atomic
def invite(
    *,
    opening: Opening,
    candidate: Candidate,
    exercises: Iterable[Exercise],
    opens_at: datetime,
    closes_at: datetime,
    by: User,
    now: datetime,
    id: UUID | None = None,
    repeat_reason: str = "",
) -> tuple[Invitation, str]:
    """A new invitation and its token; the token is not stored and cannot be read again.

    `id`: chosen by the page that asks, so that sending its form twice makes one invitation.
    `repeat_reason`: why somebody who did one of the exercises not long ago does it again.
    """
    person = Invited(candidate, id or uuid4(), repeat_reason)
    invitation, token = _new(opening, opens_at, closes_at, by, now, person)
    invitation.save(force_insert=True)
    invitation.exercises.set(exercises)
    return invitation, token


class Invited(NamedTuple):
    """One of many: the candidate, and the invitation's key, chosen by the page that asks."""

    candidate: Candidate
    id: UUID
    repeat_reason: str = ""


@transaction.atomic
def invite_many(
    people: Sequence[Invited],
    *,
    opening: Opening,
    exercises: Sequence[Exercise],
    opens_at: datetime,
    closes_at: datetime,
    by: User,
    now: datetime,
) -> list[Invitation]:
    """As `invite` does for each, in few statements; nobody knows the tokens: links are mailed or made anew."""
    rows = [_new(opening, opens_at, closes_at, by, now, person)[0] for person in people]
    Invitation.objects.bulk_create(rows)
    asked = Invitation.exercises.through
    asked.objects.bulk_create(
        asked(invitation=row, exercise=exercise) for row in rows for exercise in exercises
    )
    return rows


def _new(
    opening: Opening,
    opens_at: datetime,
    closes_at: datetime,
    by: User,
    now: datetime,
    person: Invited,
) -> tuple[Invitation, str]:
    """The row, not stored yet, and its token."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation(
        id=person.id,
        opening=opening,
        candidate=person.candidate,
        token_hash=digest(token),
        link_made_at=now,
        opens_at=opens_at,
        closes_at=closes_at,
        created_by=by,
        created_at=now,
        repeat_reason=person.repeat_reason,
    )
    return invitation, token


@transaction.atomic
def replace_link(invitation: Invitation, *, now: datetime) -> str:
    """A new token for the same invitation; all links from before stop working, the work stays."""
    invitation.mailed_links.all().delete()
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation.token_hash = digest(token)
    invitation.link_made_at = now
    invitation.save(update_fields=["token_hash", "link_made_at"])
    return token


def extend_windows(invitations: Sequence[Invitation], *, closes_at: datetime) -> bool:
    """Let them be started until later; False where one was revoked or closes as late already.

    Whoever gets False undoes the rest. Like every window they widen with agreed extra time; what was
    begun keeps its own clock.
    """
    keys = [row.pk for row in invitations]
    rows = Invitation.objects.usable().filter(pk__in=keys, closes_at__lt=closes_at)
    if rows.update(closes_at=closes_at) < len(keys):
        return False
    for row in invitations:
        row.closes_at = closes_at
    return True


def revoke(invitation: Invitation, *, by: User, reason: str, now: datetime) -> bool:
    """Stop a link from working; False where it was revoked before."""
    changed = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
        revoked_at=now, revoked_by=by, revoke_reason=reason
    )
    return changed == 1


def find(token: str) -> Invitation | None:
    """The invitation that a link belongs to, unless it was revoked."""
    mark = digest(token)
    mailed = MailedLink.objects.filter(invitation=OuterRef("pk"), token_hash=mark)
    usable = Invitation.objects.usable().select_related("opening", "candidate")
    return usable.filter(Q(token_hash=mark) | Exists(mailed)).first()
