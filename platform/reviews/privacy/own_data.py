"""A candidate asks for their data: a copy of what is theirs at once, a whole copy or its erasure from people.

The copy that comes at once holds what they gave and were told. What people made of it comes with the whole
copy: it names others' judgements while these are still being formed, so a person gives it out.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.models import User
from assessments.models import DataRequest
from hiring.messages.outbox import Told, site_page, tell_staff
from hiring.models import Candidate, Invitation
from hiring.trials import is_trial

MAY = "erase_candidate"


@transaction.atomic
def ask(invitation: Invitation, wish: str, *, now: datetime) -> DataRequest:
    """Keep the wish and tell whoever can meet it; asking twice is asking once."""
    row, made = DataRequest.objects.get_or_create(
        invitation=invitation, wish=wish, met_at=None, defaults={"asked_at": now}
    )
    if made and not is_trial(invitation):
        _tell(row, now)
    return row


def _tell(row: DataRequest, now: datetime) -> None:
    candidate = row.invitation.candidate
    told = Told(
        "data_asked",
        f"data request {row.pk}",
        {"candidate": f"Candidate {candidate.pseudonym}", "wish": row.get_wish_display().lower()},
        opening=row.invitation.opening,
        candidate=candidate,
        page=site_page("admin:retention"),
    )
    access = Q(access_ends_at=None) | Q(access_ends_at__gt=now)
    held = Q(groups__permissions__codename=MAY)
    people = User.objects.filter(access, held, is_active=True, is_staff=True).distinct()
    for person in people:
        tell_staff(told, person, now=now)


def met(candidate: Candidate, wish: str, *, now: datetime) -> int:
    """Whoever asked for it has it now; how many requests that was."""
    rows = DataRequest.objects.filter(invitation__candidate=candidate, wish=wish, met_at=None)
    return rows.update(met_at=now)
