"""The verbs of an attempt: start, submit, extend, reopen, revise. `now` is always an argument."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.clock import EventKind, Phase, first_deadline
from assessments.drafts import Incoming, Saved, keep
from assessments.ledger import CANDIDATE, locked, persistent, record
from assessments.models import Attempt, RevisionRound, Submission, body_digest
from assessments.models.ahead import AdvanceRelease
from assessments.prepared.drawing import drawn
from assessments.submissions import freeze, settle
from hiring.models import Exercise, Invitation

DRAWN = ("pack_version", "level", "seed", "company")
"""What an attempt takes over from its prepared variant."""


@persistent
def start(
    *,
    invitation: Invitation,
    exercise: Exercise,
    policies: dict[str, str],
    now: datetime,
    seed: int | None = None,
) -> Attempt:
    """Begin the clock on the variant that was drawn, or return the attempt that was begun before.

    `seed` is taken where none was drawn.
    """
    with transaction.atomic():
        invitation = (  # as it is now: it may have been revoked since the page was asked for
            Invitation.objects.select_for_update(of=("self",))
            .select_related("candidate", "opening__company")
            .get(pk=invitation.pk)
        )
        begun = Attempt.objects.filter(invitation=invitation, exercise=exercise).first()
        if begun:
            return begun
        if invitation.state(now) != "open":
            raise NotPossible(CANNOT_START[invitation.state(now)])
        variant = drawn(invitation, exercise, now=now, seed=seed)
        release = AdvanceRelease.objects.filter(invitation=invitation, exercise=exercise).first()
        attempt = Attempt(
            invitation=invitation,
            exercise=exercise,
            **{name: getattr(variant, name) for name in DRAWN},
            policies=policies,
            **_shown_ahead(release, now),
            accepted_at=now,
            started_at=now,
            multiplier=invitation.candidate.multiplier(),
        )
        attempt.deadline_at = first_deadline(attempt.rules, now, invitation.window_closes_at())
        attempt.save(force_insert=True)
        after = attempt.deadline_at
        record(attempt, EventKind.STARTED, now=now, after=after, actor_name=CANDIDATE)
        return attempt


def _shown_ahead(release: AdvanceRelease | None, now: datetime) -> dict[str, datetime | None]:
    """What stays on record of an exercise that could be read before the start; nothing of a surprise."""
    if release is None or release.opens_at > now:
        return {}
    return {"ahead_from": release.opens_at, "ahead_opened_at": release.first_opened_at}


CANNOT_START = {
    "scheduled": "This exercise cannot be started yet: please come back when it opens.",
    "over": "The time in which this exercise could be started is over. Please write to us.",
    "revoked": "This invitation was withdrawn. Please write to us.",
}


@persistent
def submit(
    attempt_id: UUID,
    *,
    client: UUID,
    seq: int,
    base: int | None,
    body: dict[str, Any],
    now: datetime,
) -> tuple[Submission | None, Saved]:
    """Hand in what the page holds. No submission where it came too late or collided."""
    with locked(attempt_id) as attempt:
        saved = keep(attempt, Incoming(client, seq, base, False, body, body_digest(body)), now)
        if not attempt.phase(now).accepts:  # the answer to the first try may have been lost
            return attempt.submissions.filter(draft=saved.draft).first(), saved
        if saved.conflict:
            return None, saved
        submission = freeze(attempt, saved.draft, Submission.Source.CANDIDATE, now)
        record(attempt, EventKind.SUBMITTED, now=now, actor_name=CANDIDATE)
        return submission, saved


def extend(attempt_id: UUID, *, minutes: int, by: User, reason: str, now: datetime) -> Attempt:
    """Give a running attempt more time; an open page shows it within seconds."""
    with locked(attempt_id) as attempt:
        phase = attempt.phase(now)
        if not phase.accepts:
            raise NotPossible(
                "Only an attempt whose clock is running can be extended. Reopen it instead."
            )
        after = max(attempt.deadline_at, now) + timedelta(minutes=minutes)
        record(attempt, EventKind.EXTENDED, now=now, after=after, actor=by, reason=reason)
        return attempt


def reopen(attempt_id: UUID, *, minutes: int, by: User, reason: str, now: datetime) -> Attempt:
    """Let a closed round go on; the earlier submission stays on record, marked as superseded."""
    with locked(attempt_id) as attempt:
        settle(attempt, now=now)
        if attempt.phase(now) not in {Phase.SUBMITTED, Phase.REVISION_SUBMITTED}:
            raise NotPossible("Only an attempt that was handed in can be reopened.")
        attempt.submissions.filter(round=attempt.round, superseded_at=None).update(
            superseded_at=now
        )
        after = now + timedelta(minutes=minutes)
        record(attempt, EventKind.REOPENED, now=now, after=after, actor=by, reason=reason)
        return attempt


def open_revision(
    attempt_id: UUID,
    *,
    strength: str,
    improvement: str,
    focus: str,
    start_now: bool,
    by: User,
    now: datetime,
    also: Sequence[str] = (),
    subject: str = "",
) -> RevisionRound:
    """Release one strength and one improvement; the revision clock starts now or on Start.

    also: what may change beside the focus; subject: the row of the focus that it is about.
    """
    with locked(attempt_id) as attempt:
        settle(attempt, now=now)
        if attempt.phase(now) != Phase.SUBMITTED:
            raise NotPossible(
                "A revision can be opened once, after the first answer was handed in."
            )
        revision = RevisionRound.objects.create(
            attempt=attempt,
            strength=strength,
            improvement=improvement,
            focus=focus,
            also=list(also),
            subject=subject,
            opened_at=now,
            opened_by=by,
        )
        record(attempt, EventKind.REVISION_OPENED, now=now, actor=by)
        if start_now:
            begin_revision(attempt, now=now, actor=by)
        return revision


def start_revision(attempt_id: UUID, *, now: datetime) -> Attempt:
    """The candidate presses Start on the revision; pressing twice changes nothing."""
    with locked(attempt_id) as attempt:
        if attempt.phase(now) == Phase.REVISION_OPEN:
            begin_revision(attempt, now=now, actor=None)
        return attempt


def begin_revision(attempt: Attempt, *, now: datetime, actor: User | None) -> None:
    """Start the second clock of an attempt that is locked and whose revision is open."""
    attempt.revision_multiplier = attempt.invitation.candidate.multiplier()
    attempt.save(update_fields=["revision_multiplier"])
    record(
        attempt,
        EventKind.REVISION_STARTED,
        now=now,
        after=now + attempt.rules.revision_time(),
        actor=actor,
        actor_name=CANDIDATE,
    )
