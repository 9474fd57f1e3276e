"""Connections to tracking systems: made by an administrator, found by the key in a request, ended."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from accounts.models import User
from accounts.not_possible import NotPossible
from hiring.models import Exercise
from hiring.tokens import TOKEN_BYTES, digest
from integrations.models import Connection, ConnectionKind
from integrations.sealed import seal
from integrations.sending import NotAllowed, check
from integrations.tracking.adapters import ADAPTERS

PREFIX = "hnc_"


@dataclass(frozen=True)
class Terms:
    """What a connection is made of; what a system has no use for stays empty."""

    kind: ConnectionKind
    label: str
    person: User
    base_url: str = ""
    outward_key: str = ""
    signature_key: str = ""
    acts_as: str = ""
    stage: str = ""
    exercise: Exercise | None = None
    window_days: int = 7


def make(terms: Terms, *, by: User, now: datetime) -> tuple[Connection, str]:
    """A new connection and the key that its system sends; the key is shown this once. Raises NotPossible."""
    base_url = (terms.base_url or ADAPTERS[terms.kind].base_url).rstrip("/")
    try:
        check(base_url)
    except NotAllowed as error:
        raise NotPossible(str(error)) from error
    if not (terms.person.is_active and terms.person.is_staff and terms.person.has_access(now)):
        raise NotPossible(f"{terms.person} has no access: choose somebody else.")
    _complete(terms)
    key = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    # Greenhouse knows us by the key that it was given, in both directions.
    outward = key if terms.kind == ConnectionKind.GREENHOUSE else terms.outward_key
    row = Connection.objects.create(
        kind=terms.kind,
        label=terms.label,
        person=terms.person,
        key_hash=digest(key),
        outward_key=seal(outward),
        signature_key=seal(terms.signature_key),
        base_url=base_url,
        acts_as=terms.acts_as,
        stage=terms.stage,
        exercise=terms.exercise,
        window_days=terms.window_days,
        made_by=by,
        made_at=now,
    )
    return row, key


def _complete(terms: Terms) -> None:
    """Raise NotPossible where something is missing that the system cannot do without."""
    needs = {
        ConnectionKind.GREENHOUSE: (),
        ConnectionKind.ASHBY: (("outward_key", "its own API key"),),
        ConnectionKind.LEVER: (
            ("outward_key", "its own API key"),
            ("signature_key", "the webhook's signature token"),
            ("stage", "the id of the stage that leads to an invitation"),
            ("exercise", "the exercise that people of that stage are invited to"),
        ),
    }
    for name, words in needs[terms.kind]:
        if not getattr(terms, name):
            raise NotPossible(f"{terms.kind.label} cannot work without {words}: fill it in.")


def find(kind: ConnectionKind, key: str, now: datetime) -> Connection | None:
    """The connection whose system sends this key, while it lasts and its person has access."""
    access = Q(person__access_ends_at=None) | Q(person__access_ends_at__gt=now)
    rows = Connection.objects.filter(access, ended_at=None, person__is_active=True)
    rows = rows.filter(kind=kind, key_hash=digest(key), person__is_staff=True)
    return rows.select_related("person", "exercise__opening").first()


def end(connection: Connection, *, now: datetime) -> bool:
    """It orders nothing and is told nothing any more; False where it had been ended before."""
    rows = Connection.objects.filter(pk=connection.pk, ended_at=None)
    return rows.update(ended_at=now) == 1


def note_trouble(connection: Connection, text: str, *, now: datetime) -> None:
    """Keep the newest thing that went wrong between the two systems, for the connection's page."""
    rows = Connection.objects.filter(pk=connection.pk)
    rows.update(trouble=text.replace("\x00", " ")[:1000], trouble_at=now)
