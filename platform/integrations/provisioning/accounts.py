"""Which accounts the provider sees, and what becomes of them when it says that somebody left or came back."""

from __future__ import annotations

import re
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import leaving
from accounts.models import User
from accounts.not_possible import NotPossible
from integrations import tokens
from integrations.models import ApiToken, Departure

FILTER = re.compile(
    r"\s*(?:urn:ietf:params:scim:schemas:core:2\.0:User:)?"
    r'(userName|emails(?:\[type eq "work"\])?\.value)\s+eq\s+"((?:[^"\\]|\\["\\/])*)"\s*',
    re.IGNORECASE,
)
"""RFC 7644, 3.4.2.2: the comparisons by which providers look somebody up."""
BAD_FILTER = 'Look somebody up by userName eq "…" or emails.value eq "…".'
OWN_ACCOUNT = "This token works in that account's name: make the token in another's first."


class BadFilter(Exception):
    """The filter is none that this reads; the text says which it does."""


def known() -> QuerySet[User]:
    """Everybody of the staff but those whom the provider deleted and nobody has made active since."""
    gone = Q(departure__isnull=False, is_active=False)
    return User.objects.filter(is_staff=True).exclude(gone).order_by("pk")


def matching(text: str) -> QuerySet[User]:
    """Accounts that the filter means: by user name or address, in capitals or not. Raises BadFilter."""
    found = FILTER.fullmatch(text)
    if found is None or "\x00" in text:
        raise BadFilter(BAD_FILTER)
    value = re.sub(r"\\(.)", r"\1", found[2])
    address = Q(email__iexact=value)
    by_name = found[1].lower() == "username"
    return known().filter(Q(username__iexact=value) | address if by_name else address)


def end(user: User, token: ApiToken, *, now: datetime, for_good: bool = False) -> None:
    """The person left: no sign-in, no session, no token. `for_good`: and the provider forgets them.

    Raises NotPossible for the last administrator and for whoever the token works as.
    """
    if user.pk == token.person_id:
        raise NotPossible(OWN_ACCOUNT)
    with transaction.atomic():
        leaving.deactivate(user, by=token.person, said=_said("Made inactive", token), now=now)
        tokens.revoke_all_of(user, by=token.person, now=now)
        if for_good:
            Departure.objects.get_or_create(person=user, defaults={"at": now})
        else:
            Departure.objects.filter(person=user).delete()


def give_back(user: User, token: ApiToken) -> None:
    """The person is back; sessions and tokens that ended stay ended."""
    leaving.activate(user, by=token.person, said=_said("Made active", token))


def _said(what: str, token: ApiToken) -> str:
    return f"{what} by the identity provider, with the API token “{token.label}”."
