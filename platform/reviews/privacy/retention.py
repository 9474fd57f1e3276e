"""Whose data has been kept long enough: months after the decision, by opening or organisation."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Q

from accounts.models import User
from hiring.keeping import months_for
from hiring.keeping import months_later as months_later
from hiring.models import Candidate, Erasure, Invitation, Opening
from reviews.models import Decision
from reviews.privacy.erasure import StillWorking, compact, counted, erase, mode_for, rows_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Due:
    """A candidate whose data goes: since when it is due, how, and exactly how much it is."""

    candidate: Candidate
    since: datetime
    mode: str
    counts: dict[str, int]

    @property
    def how(self) -> str:
        return str(Erasure.Mode(self.mode).label)


def due_since(candidate: Candidate) -> datetime | None:
    """When the last of the candidate's openings had been kept long enough; None: kept.

    Counts from the last decision that ended the matter, else from the closing of the opening.
    """
    ends = []
    for link in candidate.invitations.all():
        ended = _ended(candidate, link.opening)
        months = months_for(link.opening)
        if ended is None or months == 0:
            return None
        ends.append(months_later(ended, months))
    return max(ends, default=None)


def _ended(candidate: Candidate, opening: Opening) -> datetime | None:
    decisions = [row for row in candidate.decisions.all() if row.opening_id == opening.pk]
    last = max((row.decided_at for row in decisions if row.outcome in Decision.FINAL), default=None)
    return last or opening.closed_at


def overdue(now: datetime) -> list[tuple[datetime, Candidate]]:
    """Everybody whose time is over, longest first; the number of queries does not grow with them."""
    forgotten = Erasure.objects.filter(mode=Erasure.Mode.PSEUDONYMISE).values("candidate_number")
    over = Q(opening__closed_at__isnull=False)
    over |= Q(candidate__decisions__outcome__in=Decision.FINAL)
    links = Invitation.objects.filter(over)
    people = Candidate.objects.filter(pk__in=links.values("candidate")).exclude(pk__in=forgotten)
    people = people.prefetch_related("invitations__opening", "decisions")
    dated = [(since, row) for row in people if (since := due_since(row)) and since <= now]
    return sorted(dated, key=lambda pair: (pair[0], pair[1].pk))


def due(now: datetime, most: int | None = None) -> list[Due]:
    """The dry run: whose data would go now, and exactly what; the `most` longest overdue."""
    return [
        Due(row, since, mode_for(row, settings.RETENTION_MODE), counted(rows_of(row)))
        for since, row in overdue(now)[:most]
    ]


def carry_out(now: datetime, by: User | None = None) -> list[Erasure]:
    """Let go of all that is due; what is being run right now waits for the next time."""
    stones = []
    for _, candidate in overdue(now):
        try:
            stones.append(erase(candidate, mode=settings.RETENTION_MODE, by=by, now=now))
        except StillWorking:
            logger.warning("Candidate %d waits: a program of theirs is run.", candidate.pk)
    if stones and not compact():
        logger.warning("The database file was in use and could not be written anew.")
    return stones
