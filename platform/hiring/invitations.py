"""Make, replace, send, find and revoke the links by which candidates come in."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.models import User
from hiring.models import Candidate, Exercise, Invitation, Opening

TOKEN_BYTES = 24  # 192 bits


def digest(token: str) -> str:
    """What is stored of a token. It is random, so a fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def link_to(token: str) -> str:
    return settings.SITE_URL + reverse("link", args=[token])


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
) -> tuple[Invitation, str]:
    """A new invitation and its token; the token is not stored and cannot be read again.

    `id`: chosen by the page that asks, so that sending its form twice makes one invitation.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        id=id or uuid4(),
        opening=opening,
        candidate=candidate,
        token_hash=digest(token),
        link_made_at=now,
        opens_at=opens_at,
        closes_at=closes_at,
        created_by=by,
        created_at=now,
    )
    invitation.exercises.set(exercises)
    return invitation, token


def replace_link(invitation: Invitation, *, now: datetime) -> str:
    """A new token for the same invitation; the old link stops working, the work stays."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation.token_hash = digest(token)
    invitation.link_made_at = now
    invitation.save(update_fields=["token_hash", "link_made_at"])
    return token


def send_link(invitation: Invitation, *, now: datetime) -> None:
    """Mail a fresh link to the candidate; raises OSError where mail cannot go out.

    The mail goes first: if it fails, the link that the candidate may already hold keeps working.
    """
    token = secrets.token_urlsafe(TOKEN_BYTES)
    context = {
        "invitation": invitation,
        "exercises": _promised(invitation),
        "link": link_to(token),
        "closes_at": invitation.window_closes_at(),
        "organisation": settings.ORGANISATION,
        "contact_email": settings.CONTACT_EMAIL,
    }
    send_mail(
        subject=f"Your work sample for {invitation.opening.title}",
        message=render_to_string("hiring/invitation.txt", context),
        from_email=None,
        recipient_list=[invitation.candidate.email],
    )
    invitation.token_hash = digest(token)
    invitation.link_made_at = invitation.sent_at = now
    invitation.save(update_fields=["token_hash", "link_made_at", "sent_at"])


def _promised(invitation: Invitation) -> list[dict[str, Any]]:
    """Each exercise as the message names it: its minutes, and from when it can be read ahead, if it can."""
    multiplier = float(invitation.candidate.multiplier())
    ahead = {row.exercise_id: row.opens_at for row in invitation.advance_releases.all()}
    return [
        {
            "title": exercise.get_kind_display(),
            "minutes": round(exercise.limit_minutes * multiplier),
            "ahead_from": ahead.get(exercise.pk),
        }
        for exercise in invitation.exercises.all()
    ]


def revoke(invitation: Invitation, *, by: User, reason: str, now: datetime) -> bool:
    """Stop a link from working; False where it was revoked before."""
    changed = Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(
        revoked_at=now, revoked_by=by, revoke_reason=reason
    )
    return changed == 1


def find(token: str) -> Invitation | None:
    """The invitation that a link belongs to, unless it was revoked."""
    return (
        Invitation.objects.usable()
        .select_related("opening", "candidate")
        .filter(token_hash=digest(token))
        .first()
    )
