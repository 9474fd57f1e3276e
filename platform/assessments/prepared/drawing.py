"""Draw each exercise's variant once for an invitation, and keep it up to date until it is looked at."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from django.db import transaction

from assessments.company import text_of
from assessments.jobs import Result
from assessments.models import Attempt
from assessments.models.ahead import AdvanceRelease
from assessments.models.prepared import PreparedVariant
from assessments.queue import enqueue_variant
from hiring.models import Exercise, Invitation
from library.packs import current_version, pack_of

SEED_BITS = 63
"""Too many to search through with what a candidate is told, the hash of a public workload's seed."""


def draw_seed() -> int:
    """What decides a candidate's variant."""
    return secrets.randbits(SEED_BITS)


def prepare(
    invitation: Invitation, *, now: datetime, again: bool = False
) -> dict[int, PreparedVariant]:
    """The invitation's variants by exercise, up to date; what is not built yet is on its way to a worker.

    With `again`, what failed on our side is tried once more. Costs no write where nothing has changed.
    """
    rows = invitation.variants.select_related("pack_version", "exercise")
    known = {row.exercise_id: row for row in rows}
    if invitation.state(now) in ("revoked", "over"):
        return known
    begun = set(invitation.attempts.values_list("exercise", flat=True))
    for exercise in invitation.exercises.exclude(pk__in=begun):
        row = known.get(exercise.pk)
        if row is None or is_outdated(row, invitation, exercise) or (again and has_failed(row)):
            known[exercise.pk] = drawn(invitation, exercise, now=now, again=again)
    return known


def drawn(
    invitation: Invitation,
    exercise: Exercise,
    *,
    now: datetime,
    seed: int | None = None,
    again: bool = False,
) -> PreparedVariant:
    """The variant of one exercise, made where there is none and brought up to date where it may be.

    `seed` is taken where none was drawn before.
    """
    with transaction.atomic():
        Invitation.objects.select_for_update(of=("self",)).get(pk=invitation.pk)
        rows = PreparedVariant.objects.select_related("pack_version", "exercise")
        row: PreparedVariant | None = rows.filter(invitation=invitation, exercise=exercise).first()
        if row is None:
            row = PreparedVariant(invitation=invitation, exercise=exercise)
            row.seed = draw_seed() if seed is None else seed
            _follow(row, invitation, exercise)
        elif is_outdated(row, invitation, exercise) and not is_fixed(row):
            _follow(row, invitation, exercise)
        elif not (again and has_failed(row)):
            return row
        _queue(row, now)
        return row


def is_outdated(row: PreparedVariant, invitation: Invitation, exercise: Exercise) -> bool:
    """Whether exercise, pack or company are no longer those that the row was drawn for."""
    version = row.pack_version
    asked = (exercise.pack_name, exercise.level, pack_of(exercise.pack_name).digest)
    drawn_for = (version.name, row.level, version.digest)
    return asked != drawn_for or row.company != text_of(invitation.opening)


def is_fixed(row: PreparedVariant) -> bool:
    """Whether somebody has seen it: what was read ahead, or begun, stays what it is."""
    of = {"invitation": row.invitation_id, "exercise": row.exercise_id}
    looked_at = AdvanceRelease.objects.filter(**of, first_opened_at__isnull=False)
    return looked_at.exists() or Attempt.objects.filter(**of).exists()


def has_failed(row: PreparedVariant) -> bool:
    """Whether its building ended, after its tries, as our failure."""
    return row.result == Result.INFRASTRUCTURE_ERROR


def _follow(row: PreparedVariant, invitation: Invitation, exercise: Exercise) -> None:
    row.pack_version = current_version(exercise.pack_name)
    row.level = exercise.level
    row.company = text_of(invitation.opening)


def _queue(row: PreparedVariant, now: datetime) -> None:
    """As a job that nobody has tried yet; an exercise without a room has nothing to build."""
    done = not row.exercise.has_room
    anew: dict[str, Any] = {
        "created_at": now,
        "tries": 0,
        "losses": 0,
        "worker": "",
        "claimed_at": None,
        "lease_until": None,
        "finished_at": now if done else None,
        "result": Result.DONE if done else "",
        "trouble": "",
    }
    for name, value in anew.items():
        setattr(row, name, value)
    row.save()
    if not done:
        enqueue_variant(row.pk)
