"""Build drawn variants in a worker, a bounded number at a time on each host."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils import timezone

from assessments.execution import perform, worker_name
from assessments.jobs import Result
from assessments.kinds import workplace_of
from assessments.materials import variants
from assessments.models import Attempt
from assessments.models.prepared import PreparedVariant
from assessments.prepared.drawing import prepare
from assessments.queue import publish
from hiring.models import Invitation

TASK = "assessments.tasks.prepare_variant"
REMINDED = 10


def build_next() -> None:
    """Build the variant that is next, if this host has a place for it, and tell of the one after."""
    with variants.place(wait=False) as free:
        if not free:
            return  # whoever ends next, or the sweep, comes back to it
        row = _claimed(timezone.now())
        if row is None:
            return
        _build(row)
    if (after := PreparedVariant.objects.in_turn(timezone.now()).first()) is not None:
        publish(TASK, after.pk)


def remind(now: datetime) -> None:
    """End what was tried too often, and tell the workers of what waits."""
    PreparedVariant.objects.give_up(now)
    for row in PreparedVariant.objects.in_turn(now)[:REMINDED]:
        publish(TASK, row.pk, expires=10)


def draw_of(opening: int, clock: Callable[[], datetime]) -> int:
    """Draw what is missing for the opening's invitations that can still be started; of how many."""
    pair = {"invitation": OuterRef("invitation"), "exercise": OuterRef("exercise")}
    asked = Invitation.exercises.through.objects.filter(
        ~Exists(PreparedVariant.objects.filter(**pair)),
        ~Exists(Attempt.objects.filter(**pair)),
        invitation=OuterRef("pk"),
    )
    rows = Invitation.objects.usable().filter(Exists(asked), opening=opening, closes_at__gt=clock())
    found = list(rows.select_related("opening__company", "candidate"))
    for row in found:
        prepare(row, now=clock())
    return len(found)


def prepare_now(invitation: Invitation, *, now: datetime) -> None:
    """Draw and build all of an invitation here and wait for it, for the demo's and tests' own use."""
    for row in prepare(invitation, now=now).values():
        if PreparedVariant.objects.claim(row.pk, worker_name(), now):
            row.refresh_from_db()
            with variants.place():
                _build(row)


def _claimed(now: datetime) -> PreparedVariant | None:
    rows = PreparedVariant.objects.in_turn(now)
    row = rows.select_related("pack_version", "exercise", "invitation__candidate").first()
    if row is None or not PreparedVariant.objects.claim(row.pk, worker_name(), now):
        return None
    row.refresh_from_db()
    claimed: PreparedVariant = row
    return claimed


def _build(row: PreparedVariant) -> None:
    def work() -> dict[str, Any]:
        began = time.monotonic()
        folder = variants.make(*row.of)
        workplace_of(row.exercise).built(folder)
        return {"seconds": round(time.monotonic() - began, 1)}

    perform(row, work, lambda _: Result.DONE)
