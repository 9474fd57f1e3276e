"""The verbs of an attempt: start, save, submit, promote, extend, credit, reopen, revise.

Every change of the clock goes through `record`, inside one write transaction that holds the
attempt's row, and leaves a TimeEvent. `now` is always an argument.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from assessments import answers
from assessments.clock import Event, EventKind, Phase, first_deadline, step, uncovered
from assessments.models import (
    Attempt,
    Draft,
    GradingRun,
    RevisionRound,
    Submission,
    TimeEvent,
    body_digest,
)
from assessments.queue import enqueue_grading
from hiring.models import Exercise, Invitation
from library.packs import current_version

SEED_BITS = 48
CANDIDATE = "candidate"
PLATFORM = "platform"


class NotPossible(Exception):
    """What was asked cannot be done now; the text says why and what to do."""


@dataclass(frozen=True)
class Saved:
    """How a save ended: the stored draft, whether it still counts, and what it collided with."""

    draft: Draft
    created: bool
    in_time: bool
    conflict: Draft | None


@contextmanager
def locked(pk: Any) -> Iterator[Attempt]:
    """The attempt, with nobody else able to change it until the block ends."""
    with transaction.atomic():
        yield (
            Attempt.objects.select_for_update(of=("self",))
            .select_related("exercise", "invitation__candidate")
            .get(pk=pk)
        )


def record(
    attempt: Attempt,
    kind: EventKind,
    *,
    now: datetime,
    after: datetime | None = None,
    actor: User | None = None,
    actor_name: str = PLATFORM,
    reason: str = "",
    lost: tuple[datetime | None, datetime | None] = (None, None),
) -> None:
    """Append one time event and bring the attempt's row in line: the only way its clock changes."""
    before = attempt.deadline_at if kind != EventKind.STARTED else None
    after = after or before
    clock = step(attempt.clock(), Event(kind, now, before, after))
    TimeEvent.objects.create(
        attempt=attempt,
        kind=kind,
        at=now,
        actor=actor,
        actor_name=str(actor) if actor else actor_name,
        reason=reason,
        before=before,
        after=after,
        lost_from=lost[0],
        lost_until=lost[1],
    )
    attempt.deadline_at = clock.deadline_at or attempt.deadline_at
    attempt.round = clock.round
    attempt.awaiting_round = None if clock.submitted else clock.round
    attempt.save(update_fields=["deadline_at", "round", "awaiting_round"])


def start(
    *, invitation: Invitation, exercise: Exercise, policies: dict[str, str], now: datetime
) -> Attempt:
    """Begin the clock, or return the attempt that was begun before."""
    with transaction.atomic():
        Invitation.objects.select_for_update().get(pk=invitation.pk)
        begun = Attempt.objects.filter(invitation=invitation, exercise=exercise).first()
        if begun:
            return begun
        if invitation.state(now) != "open":
            raise NotPossible(CANNOT_START[invitation.state(now)])
        attempt = Attempt(
            invitation=invitation,
            exercise=exercise,
            pack_version=current_version(exercise.pack_name),
            level=exercise.level,
            seed=secrets.randbits(SEED_BITS),
            policies=policies,
            accepted_at=now,
            started_at=now,
        )
        attempt.deadline_at = first_deadline(attempt.rules, now, invitation.window_closes_at())
        attempt.save(force_insert=True)
        record(
            attempt,
            EventKind.STARTED,
            now=now,
            after=attempt.deadline_at,
            actor_name=CANDIDATE,
        )
        return attempt


CANNOT_START = {
    "scheduled": "This exercise cannot be started yet: please come back when it opens.",
    "over": "The time in which this exercise could be started is over. Please write to us.",
    "revoked": "This invitation was withdrawn. Please write to us.",
}


def save_draft(
    attempt_id: UUID,
    *,
    client: UUID,
    seq: int,
    base: int | None,
    resolve: bool,
    body: dict[str, Any],
    now: datetime,
) -> Saved:
    """Keep a draft; one that comes too late is kept aside and does not count."""
    with locked(attempt_id) as attempt:
        return _save(attempt, client, seq, base, resolve, body, now)


def _save(
    attempt: Attempt,
    client: UUID,
    seq: int,
    base: int | None,
    resolve: bool,
    body: dict[str, Any],
    now: datetime,
) -> Saved:
    promote_if_due(attempt, now=now)
    in_time = attempt.phase(now).accepts
    before = attempt.drafts.filter(client=client, seq=seq).first()
    head = attempt.drafts.filter(number=attempt.head).first() if attempt.head else None
    if before:
        return Saved(before, False, not before.late, head if before.diverged else None)
    digest = body_digest(body)
    if in_time and head and head.round == attempt.round and head.sha256 == digest:
        return Saved(head, False, True, None)
    stale = head is not None and base is not None and base < head.number and head.client != client
    diverged = in_time and stale and not resolve
    attempt.last_draft += 1
    draft = Draft.objects.create(
        attempt=attempt,
        round=attempt.round,
        number=attempt.last_draft,
        client=client,
        seq=seq,
        body=body,
        sha256=digest,
        size=answers.size(body),
        received_at=now,
        diverged=diverged,
        late=not in_time,
    )
    if in_time and not diverged:
        attempt.head = draft.number
    attempt.save(update_fields=["last_draft", "head"])
    return Saved(draft, True, in_time, head if diverged else None)


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
        saved = _save(attempt, client, seq, base, False, body, now)
        if not attempt.phase(now).accepts:  # the answer to the first try may have been lost
            return attempt.submissions.filter(draft=saved.draft).first(), saved
        if saved.conflict:
            return None, saved
        submission = _freeze(attempt, saved.draft, Submission.Source.CANDIDATE, now)
        record(attempt, EventKind.SUBMITTED, now=now, actor_name=CANDIDATE)
        return submission, saved


def promote_if_due(attempt: Attempt, *, now: datetime) -> Submission | None:
    """Where time and grace are over, hand in the last draft that counted. The row must be locked."""
    if attempt.phase(now) not in {Phase.OVERDUE, Phase.REVISION_OVERDUE}:
        return None
    head = attempt.drafts.filter(number=attempt.head, round=attempt.round).first()
    submission = _freeze(attempt, head, Submission.Source.PROMOTED, now)
    record(
        attempt,
        EventKind.PROMOTED,
        now=now,
        reason="Time was over; the last saved draft was handed in.",
    )
    return submission


def _freeze(attempt: Attempt, draft: Draft | None, source: str, now: datetime) -> Submission:
    body = draft.body if draft else answers.starting_body(attempt)
    submission = Submission.objects.create(
        attempt=attempt,
        round=attempt.round,
        body=body,
        sha256=body_digest(body),
        draft=draft,
        source=source,
        submitted_at=now,
    )
    request_grading(submission, now=now)
    return submission


def request_grading(
    submission: Submission, *, now: datetime, by: User | None = None, reason: str = ""
) -> GradingRun:
    """Queue a grading; earlier ones stay as they are."""
    run = GradingRun.objects.create(
        submission=submission,
        hidden_workloads=submission.attempt.exercise.hidden_workloads,
        created_at=now,
        requested_by=by,
        reason=reason,
    )
    enqueue_grading(run.pk)
    return run


def close_due(*, now: datetime) -> int:
    """Promote every attempt whose time and grace are over; how many that was."""
    closed = 0
    for pk in Attempt.objects.past_deadline(now).values_list("pk", flat=True):
        with locked(pk) as attempt:
            closed += promote_if_due(attempt, now=now) is not None
    return closed


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


def credit(
    attempt_id: UUID, *, began: datetime, ended: datetime, reason: str, now: datetime
) -> bool:
    """Give back time that our own fault took, each second once; False where there is none to give."""
    with locked(attempt_id) as attempt:
        if attempt.awaiting_round is None:
            return False
        given = [
            (event.lost_from, event.lost_until)
            for event in attempt.time_events.filter(kind=EventKind.CREDITED)
            if event.lost_from and event.lost_until
        ]
        lost = uncovered(began, ended, given)
        if lost <= timedelta(0):
            return False
        record(
            attempt,
            EventKind.CREDITED,
            now=now,
            after=attempt.deadline_at + lost,
            reason=reason,
            lost=(began, ended),
        )
        return True


def reopen(attempt_id: UUID, *, minutes: int, by: User, reason: str, now: datetime) -> Attempt:
    """Let a closed round go on; the earlier submission stays on record, marked as superseded."""
    with locked(attempt_id) as attempt:
        promote_if_due(attempt, now=now)
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
) -> RevisionRound:
    """Release one strength and one improvement; the revision clock starts now or on Start."""
    with locked(attempt_id) as attempt:
        promote_if_due(attempt, now=now)
        if attempt.phase(now) != Phase.SUBMITTED:
            raise NotPossible(
                "A revision can be opened once, after the first answer was handed in."
            )
        revision = RevisionRound.objects.create(
            attempt=attempt,
            strength=strength,
            improvement=improvement,
            focus=focus,
            opened_at=now,
            opened_by=by,
        )
        record(attempt, EventKind.REVISION_OPENED, now=now, actor=by)
        if start_now:
            _start_revision(attempt, now=now, actor=by)
        return revision


def start_revision(attempt_id: UUID, *, now: datetime) -> Attempt:
    """The candidate presses Start on the revision; pressing twice changes nothing."""
    with locked(attempt_id) as attempt:
        if attempt.phase(now) == Phase.REVISION_OPEN:
            _start_revision(attempt, now=now, actor=None)
        return attempt


def _start_revision(attempt: Attempt, *, now: datetime, actor: User | None) -> None:
    record(
        attempt,
        EventKind.REVISION_STARTED,
        now=now,
        after=now + attempt.rules.revision_time(),
        actor=actor,
        actor_name=CANDIDATE,
    )
