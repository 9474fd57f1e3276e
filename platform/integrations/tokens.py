"""Tokens of the API: made by an administrator, found by the hash of what a program sends, revoked.

A token is never more than its person: whatever it asks is answered as that person's pages would answer,
and its scopes only take away from that.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from accounts.models import User
from accounts.not_possible import NotPossible
from hiring.tokens import TOKEN_BYTES, digest
from integrations.models import ApiToken

PREFIX = "hn_"
MOST_DAYS, USUAL_DAYS = 366, 90
USED_EVERY = timedelta(hours=1)
SCOPES = {
    "openings:read": "Openings and their exercises",
    "openings:write": "Close and reopen openings",
    "candidates:read": "Candidates by name, as far as the person may know them",
    "candidates:write": "Add candidates",
    "invitations:read": "Invitations and how far they are",
    "invitations:write": "Invite, send, remind, extend, revoke",
    "attempts:read": "Attempts",
    "submissions:read": "What candidates handed in",
    "gradings:read": "Measures of gradings",
    "scorecards:read": "Evaluators' scorecards",
    "reports:read": "Reports: ratings, measures and decisions together",
    "questions:read": "The question bank with its expected answers",
    "webhooks:read": "Webhooks and their deliveries",
    "webhooks:write": "Make, change and stop webhooks; deliver again",
    "audit:read": "The audit trail",
    "staff:provision": "Accounts of staff: an identity provider reads, ends and gives back access (SCIM)",
}
"""Scope -> what it opens, in words for whoever makes a token."""


def make(
    *, person: User, label: str, scopes: list[str], days: int, by: User, now: datetime
) -> tuple[ApiToken, str]:
    """A new token and its text; the text is not stored and cannot be read again.

    Raises NotPossible where the person could not use it.
    """
    if not (person.is_active and person.is_staff and person.has_access(now)):
        raise NotPossible(f"{person} has no access: give it back first, or choose somebody else.")
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise NotPossible("Choose at least one scope of the list.")
    text = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    token = ApiToken.objects.create(
        label=label,
        person=person,
        scopes=sorted(scopes),
        token_hash=digest(text),
        starts_with=text[: len(PREFIX) + 6],
        made_by=by,
        made_at=now,
        expires_at=now + timedelta(days=days),
    )
    return token, text


def find(text: str, now: datetime) -> ApiToken | None:
    """The live token that the text belongs to; notes, to the hour, that it was used."""
    rows = ApiToken.objects.live(now).select_related("person")
    token = rows.filter(token_hash=digest(text)).first()
    if token and (token.used_at is None or token.used_at < now - USED_EVERY):
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)
    return token


def revoke_all_of(person: User, *, by: User, now: datetime) -> int:
    """End every token that works in the person's name; how many there were."""
    rows = ApiToken.objects.filter(person=person, revoked_at=None)
    return rows.update(revoked_at=now, revoked_by=by)


def revoke(token: ApiToken, *, by: User, now: datetime) -> bool:
    """End it now; False where it had been ended before."""
    rows = ApiToken.objects.filter(pk=token.pk, revoked_at=None)
    return rows.update(revoked_at=now, revoked_by=by) == 1
