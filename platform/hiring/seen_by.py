"""Who of the staff looked at which candidate's pages, and when: what a decision can be read against."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts.models import User
from hiring.models import Candidate, Sighting

AGAIN = timedelta(hours=1)  # looking twice at one page within it is one sighting


def note(
    by: User, candidate: Candidate, page: str, *, now: datetime, named: bool | None = None
) -> None:
    """Append that somebody opened a page about the candidate; named: it showed who it is."""
    note_all(by, [candidate.pk], page, now=now, named=named)


def note_all(
    by: User, candidates: Iterable[int], page: str, *, now: datetime, named: bool | None = None
) -> None:
    """The same for a page about several candidates, named by their keys, in two queries at most."""
    wanted = set(candidates)
    if not wanted:
        return
    seen = Sighting.objects.filter(by=by, page=page, named=named, at__gt=now - AGAIN)
    new = wanted - set(seen.filter(candidate__in=wanted).values_list("candidate", flat=True))
    if new:
        Sighting.objects.bulk_create(
            Sighting(by=by, candidate_id=pk, page=page, named=named, at=now) for pk in sorted(new)
        )


def before(candidate: Candidate, at: datetime) -> QuerySet[Sighting]:
    """Everything the staff had opened about the candidate by that time, oldest first."""
    rows = Sighting.objects.filter(candidate=candidate, at__lte=at).select_related("by")
    return rows.order_by("at", "pk")


def of(candidate: Candidate) -> QuerySet[Sighting]:
    """Everything the staff has opened about the candidate, oldest first."""
    rows = Sighting.objects.filter(candidate=candidate).select_related("by")
    return rows.order_by("at", "pk")
