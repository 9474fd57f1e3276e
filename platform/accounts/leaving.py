"""Somebody leaves: the account is made inactive, open sessions end, and the site keeps an administrator."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.roles import ADMINISTRATOR

LAST_ADMINISTRATOR = (
    "Nobody could run this site any more: make somebody else an administrator first."
)


def administrators(now: datetime) -> list[User]:
    """Who can run the site now; inside a transaction nobody changes these rows until it ends."""
    role = Q(groups__name=ADMINISTRATOR) | Q(is_superuser=True)
    found = User.objects.filter(role, is_active=True, is_staff=True).values("pk")
    rows = User.objects.select_for_update().filter(pk__in=found).order_by("pk")
    return [user for user in rows if user.has_access(now)]


def keeps_an_administrator(user: User, now: datetime) -> bool:
    """Whether somebody can run the site without this account. Asks for a transaction."""
    left = administrators(now)
    return user not in left or len(left) > 1


@transaction.atomic
def deactivate(user: User, *, by: User, said: str, now: datetime) -> bool:
    """End the account's access now; False where it had been ended before.

    `said` is the trail's sentence. Raises NotPossible for the last administrator.
    """
    if not keeps_an_administrator(user, now):
        raise NotPossible(LAST_ADMINISTRATOR)
    if not User.objects.filter(pk=user.pk, is_active=True).update(is_active=False):
        return False
    user.is_active = False
    end_sessions(user, now)
    note_action(by, user, said)
    return True


@transaction.atomic
def activate(user: User, *, by: User, said: str) -> bool:
    """Give access back; False where it was never taken."""
    if not User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        return False
    user.is_active = True
    note_action(by, user, said)
    return True


def end_sessions(user: User, now: datetime) -> int:
    """Sign the account out in every browser for good, so that access given back brings none back."""
    rows = Session.objects.filter(expire_date__gt=now).iterator()
    own = [row.pk for row in rows if row.get_decoded().get(SESSION_KEY) == str(user.pk)]
    for begin in range(0, len(own), 500):
        Session.objects.filter(pk__in=own[begin : begin + 500]).delete()
    return len(own)
