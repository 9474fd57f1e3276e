"""Extra time for everybody in an opening: a factor for whoever is invited, minutes for whoever works now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.models import Attempt
from hiring.bulk.people import grant
from hiring.models import Candidate, Opening
from reviews.visibility import (
    attempts_overseen_by,
    candidates_visible_to,
    shown_name,
    with_viewer,
)


@dataclass(frozen=True)
class Line:
    """One person and what they get: a factor, minutes, or nothing and why."""

    label: str
    said: str
    possible: bool
    candidate: Candidate | None = None
    attempt: Attempt | None = None


def plan(
    opening: Opening, factor: Decimal | None, minutes: int | None, *, viewer: User, now: datetime
) -> list[Line]:
    """What everybody would get; changes nothing, and asks as often for thousands as for three."""
    lines: list[Line] = []
    if factor:
        people = candidates_visible_to(viewer).filter(
            invitations__opening=opening, invitations__revoked_at=None
        )
        people = people.distinct().prefetch_related("accommodations")
        lines += [_by_factor(person, factor) for person in people]
    if minutes:
        lines += [_by_minutes(row, minutes) for row in working(opening, viewer, now)]
    return lines


def working(opening: Opening, viewer: User, now: datetime) -> list[Attempt]:
    """The attempts of the opening whose clock runs."""
    rows = with_viewer(attempts_overseen_by(viewer), viewer)
    rows = rows.filter(invitation__opening=opening, awaiting_round__isnull=False)
    rows = rows.select_related("invitation__candidate", "exercise").prefetch_related("time_events")
    return [row for row in rows if row.phase(now).accepts]


def _by_factor(person: Candidate, factor: Decimal) -> Line:
    has = person.multiplier()
    if has >= factor:
        return Line(person.name, f"has {has} × time already and keeps it", False, person)
    return Line(person.name, f"{has} × time becomes {factor} × time", True, person)


def _by_minutes(row: Attempt, minutes: int) -> Line:
    said = f"works on {row.exercise} and has {minutes} minutes more at once"
    return Line(shown_name(row), said, True, row.invitation.candidate, row)


def give(
    lines: list[Line],
    factor: Decimal | None,
    minutes: int | None,
    reason: str,
    *,
    by: User,
    now: datetime,
) -> tuple[int, list[str]]:
    """Give what the plan says: to how many, and of whom it was not possible any more why."""
    longer = [
        line.candidate for line in lines if line.candidate and not line.attempt and line.possible
    ]
    if factor:
        grant([(person, factor, reason) for person in longer], by=by, now=now)
    given, refused = len(longer), []
    for line in lines:
        if line.attempt is None or not minutes:
            continue
        try:
            attempts.extend(line.attempt.pk, minutes=minutes, by=by, reason=reason, now=now)
            note_action(by, line.attempt, f"Extended by {minutes} minutes. Reason: {reason}")
            given += 1
        except NotPossible as error:
            refused.append(f"{line.label}: {error}")
    return given, refused
