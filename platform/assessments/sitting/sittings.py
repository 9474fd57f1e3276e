"""Which talk an invitation leads to, and what of it is open to the candidate at this moment."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Showing, Sitting
from hiring.models import Invitation

LEADS_FOR = timedelta(days=1)
"""How long after its planned end a talk still counts as the one that the candidate's page is for."""
UNTIMED_FOR = timedelta(days=30)
"""How long a talk without an agreed time keeps the candidate's link working."""
OPEN_FOR = timedelta(hours=6)
"""A page that nobody closed closes itself: nothing of an interview stays open overnight."""
LONGEST_SHOWN = 5000


def talks_of(invitation: Invitation) -> QuerySet[Sitting]:
    return invitation.sittings.filter(called_off_at=None)


def present(invitation: Invitation, now: datetime) -> Sitting | None:
    """The talk that is open, else the next one that is not over; None where there is none."""
    rows = list(talks_of(invitation))
    open_now = [row for row in rows if shown(row, now)]
    if open_now:
        return open_now[0]
    ahead = [
        row
        for row in rows
        if (row.begins_at or row.planned_at) + (LEADS_FOR if row.begins_at else UNTIMED_FOR) > now
    ]
    return ahead[0] if ahead else None


def shown(sitting: Sitting, now: datetime) -> Showing | None:
    """What the candidate is shown now; None while the page is closed to them."""
    row = sitting.showings.order_by("-pk").first()
    is_open = row is not None and row.is_open and row.at + OPEN_FOR > now
    return row if is_open and sitting.called_off_at is None else None


@transaction.atomic
def show(sitting: Sitting, text: str, *, by: User, now: datetime) -> Showing:
    """Open the candidate's page with a question. The same one again changes nothing."""
    row = Sitting.objects.select_for_update().get(pk=sitting.pk)
    if row.called_off_at:
        raise NotPossible("This interview was called off: nothing can be shown.")
    before = shown(row, now)
    if before and before.text == text:
        return before
    return Showing.objects.create(
        sitting=row, is_open=True, text=text[:LONGEST_SHOWN], by=by, at=now
    )


@transaction.atomic
def close(sitting: Sitting, *, by: User, now: datetime) -> None:
    """Close the candidate's page; closed before, nothing changes."""
    row = Sitting.objects.select_for_update().get(pk=sitting.pk)
    if shown(row, now):
        Showing.objects.create(sitting=row, is_open=False, by=by, at=now)
