"""Show an exercise's brief and materials before the clock starts, and keep when they were first looked at."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from assessments.models.ahead import AdvanceRelease
from assessments.models.prepared import PreparedVariant
from assessments.prepared.drawing import drawn
from hiring.models import Exercise, Invitation
from hiring.policies import SHOWN_AHEAD

EARLIEST, LATEST = timedelta(hours=48), timedelta(hours=24)
"""How long before the sitting the two kinds are usually shown (requirement E8)."""
EVERY = f"That is for {SHOWN_AHEAD}; the others are a surprise."


class ReleaseState(NamedTuple):
    """What an exercise can or could be read ahead: `state` is surprise, arranged, open or over."""

    state: str
    opens_at: datetime | None = None
    first_opened_at: datetime | None = None


def is_of_kind(exercise: Exercise) -> bool:
    """Whether exercises of this kind can be shown ahead; the other kinds are always a surprise."""
    return exercise.traits.is_released_ahead


def releases(invitation: Invitation) -> dict[int, AdvanceRelease]:
    """By the exercise's key, in one query."""
    return {row.exercise_id: row for row in invitation.advance_releases.all()}


def state_of(release: AdvanceRelease | None, *, begun: bool, now: datetime) -> ReleaseState:
    """Where an exercise stands; over once its clock was started."""
    if release is None:
        return ReleaseState("surprise")
    seen = ReleaseState("open", release.opens_at, release.first_opened_at)
    if begun:
        return seen._replace(state="over")
    return seen if release.opens_at <= now else seen._replace(state="arranged")


def arrange(
    invitation: Invitation, *, opens_at: datetime | None, by: User, now: datetime
) -> list[Exercise]:
    """Show every exercise of the invitation that can be from that moment on; None takes it back.

    Returns the exercises it holds of. Raises NotPossible where there is none, or where the candidate
    has looked already: what was read cannot be unread, so the record of it stays.
    """
    with transaction.atomic():
        invitation = Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
        begun = set(invitation.attempts.values_list("exercise", flat=True))
        free = [
            row for row in invitation.exercises.all() if is_of_kind(row) and row.pk not in begun
        ]
        if not free:
            raise NotPossible(f"No exercise of this invitation can be shown ahead now. {EVERY}")
        known = releases(invitation)
        if any(row.first_opened_at for key, row in known.items() if key not in begun):
            raise NotPossible(
                "The candidate has opened the materials already, so the moment stays as it was."
            )
        for exercise in free:
            if opens_at is None:
                invitation.advance_releases.filter(exercise=exercise).delete()
                continue
            AdvanceRelease.objects.update_or_create(
                invitation=invitation,
                exercise=exercise,
                defaults={"opens_at": opens_at, "released_by": by, "released_at": now},
            )
        return free


def usual_warning(invitation: Invitation, opens_at: datetime) -> str:
    """A sentence where the moment is not 24 to 48 hours before the link opens, else ""."""
    before = invitation.opens_at - opens_at
    if LATEST <= before <= EARLIEST:
        return ""
    hours = round(abs(before).total_seconds() / 3600)
    side = "before" if before >= timedelta(0) else "after"
    when = f"{hours} h {side} the link opens" if hours else "when the link opens"
    return f"The materials are shown {when}; 24 to 48 hours before is usual."


def look(invitation: Invitation, exercise: Exercise, *, now: datetime) -> PreparedVariant:
    """The variant of an exercise that may be read now; the first look is kept, and fixes it.

    Raises NotPossible with a sentence for the candidate.
    """
    with transaction.atomic():
        variant = drawn(invitation, exercise, now=now)
        row = (
            AdvanceRelease.objects.select_for_update(of=("self",))
            .filter(invitation=invitation, exercise=exercise)
            .first()
        )
        if row is None or row.opens_at > now:
            raise NotPossible("This exercise cannot be read yet.")
        if Attempt.objects.filter(invitation=invitation, exercise=exercise).exists():
            raise NotPossible("You have started this exercise: its materials are in the workspace.")
        if row.first_opened_at is None:
            row.first_opened_at = now
            row.save(update_fields=["first_opened_at"])
        return variant
