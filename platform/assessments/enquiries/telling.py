"""Staff tell candidates: an answer to one, or an announcement to everybody at an exercise, with time for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from assessments.happened import told_one
from assessments.ledger import grant_all
from assessments.models import Announcement, Attempt, Enquiry
from hiring.models import Exercise, Opening

CORRECTED = "A correction of the exercise was announced."
ANNOUNCED = "The interviewers have told you something."


class Told(NamedTuple):
    """What was kept, and how many clocks were given time."""

    announcement: Announcement
    given: int


@transaction.atomic
def answer(enquiry: Enquiry, *, text: str, minutes: int, by: User, now: datetime) -> Told:
    """Answer the one who asked. Time is added where their clock runs."""
    row = Announcement.objects.create(
        opening=enquiry.attempt.exercise.opening,
        exercise=enquiry.attempt.exercise,
        to=enquiry.attempt,
        enquiry=enquiry,
        text=text,
        minutes=minutes,
        by=by,
        at=now,
    )
    given = _give(row, Attempt.objects.filter(pk=enquiry.attempt_id), now)
    told_one.send(Announcement, announcement=row, now=now)
    return Told(row, given)


@transaction.atomic
def announce(
    opening: Opening,
    exercise: Exercise | None,
    *,
    text: str,
    minutes: int,
    is_correction: bool,
    by: User,
    now: datetime,
    enquiry: Enquiry | None = None,
) -> Told:
    """Tell everybody at the exercise, or at all of the opening's; `enquiry` is what it answers.

    Whoever begins later reads it as well, and has their whole time anyway.
    """
    row = Announcement.objects.create(
        opening=opening,
        exercise=exercise,
        enquiry=enquiry,
        text=text,
        minutes=minutes,
        is_correction=is_correction,
        by=by,
        at=now,
    )
    at: dict[str, Any] = {"exercise": exercise} if exercise else {"exercise__opening": opening}
    return Told(row, _give(row, Attempt.objects.filter(**at), now))


def working(attempts: QuerySet[Attempt], now: datetime) -> list[Attempt]:
    """Those whose clock runs, grace included, without locking them."""
    rows = attempts.filter(awaiting_round__isnull=False).select_related("exercise")
    rows = rows.prefetch_related("time_events").order_by("pk")
    return [row for row in rows if row.phase(now).accepts]


def _give(told: Announcement, attempts: QuerySet[Attempt], now: datetime) -> int:
    if not told.minutes:
        return 0
    rows = working(attempts.select_for_update(of=("self",)), now)
    reason = CORRECTED if told.is_correction else ANNOUNCED
    return grant_all(rows, minutes=told.minutes, reason=reason, by=told.by, now=now)
