"""Freeze answers: handed in by the candidate, or the last draft when time and grace are over."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.models import User
from assessments import answers
from assessments.clock import EventKind, Phase
from assessments.happened import handed_in
from assessments.jobs import JobQuerySet
from assessments.ledger import credit, locked, record
from assessments.models import Attempt, Draft, GradingRun, Submission, body_digest
from assessments.pulses import AWAY, has_worked_off
from assessments.queue import enqueue_grading
from hiring.messages.to_candidates import tell_received
from hiring.trials import is_trial, practice_of

DUE = {Phase.OVERDUE, Phase.REVISION_OVERDUE}
WAITED = "A run waited for the platform."
# So close to the end what a run has waited so far is given back before it is too late.
CLOSE = timedelta(seconds=30)


def settle(attempt: Attempt, *, now: datetime) -> Submission | None:
    """Bring a locked attempt up to `now`: give back what is owed, then promote what is due.

    Nobody's round is closed while the site is silent or slow: what they lost is credited first, and
    what reached us in time is taken first.
    """
    if not is_ending(attempt, now):
        return None
    _credit_waiting(attempt, now)
    if now < _end(attempt) or not has_worked_off(_end(attempt)):
        return None
    head = attempt.drafts.filter(number=attempt.head, round=attempt.round).first()
    submission = freeze(attempt, head, Submission.Source.PROMOTED, now)
    record(
        attempt,
        EventKind.PROMOTED,
        now=now,
        reason="Time was over; the last saved draft was handed in.",
    )
    return submission


def is_ending(attempt: Attempt, now: datetime) -> bool:
    """True near the end of a round and after it."""
    return attempt.awaiting_round is not None and attempt.deadline_at <= now + CLOSE


def needs_settling(attempt: Attempt, now: datetime) -> bool:
    """True where `settle` would find something to do: the row is worth locking."""
    if not is_ending(attempt, now):
        return False
    is_due = now >= _end(attempt) and has_worked_off(_end(attempt))
    return is_due or _waiting(attempt, now).exists()


def _end(attempt: Attempt) -> datetime:
    """Until when a save counts."""
    return attempt.deadline_at + attempt.rules.grace_time(attempt.round)


def _credit_waiting(attempt: Attempt, now: datetime) -> None:
    """Stop the clock, in effect, while a run waits for a worker longer than it should."""
    for run in _waiting(attempt, now):
        credit(attempt, began=run.created_at, ended=now, reason=WAITED, now=now)


def _waiting(attempt: Attempt, now: datetime) -> JobQuerySet:
    runs = attempt.runs.waiting(now).filter(round=attempt.round)
    return runs.filter(created_at__lt=min(now - AWAY, _end(attempt)))


def freeze(attempt: Attempt, draft: Draft | None, source: str, now: datetime) -> Submission:
    """The draft, or what the round began with, as this round's submission, queued for grading."""
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
    if practice_of(attempt.invitation):
        return submission  # nobody reads it, and no machine measures it
    if attempt.exercise.is_measured:
        request_grading(submission, now=now)
    tell_received(
        attempt.invitation, attempt.exercise, answer=submission.pk, round=attempt.round, at=now
    )
    handed_in.send(Submission, submission=submission, now=now)
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
        comes_last=is_trial(submission.attempt.invitation),
    )
    enqueue_grading(run.pk)
    return run


def close_due(*, now: datetime) -> int:
    """Settle every attempt whose time is over; how many were promoted."""
    closed = 0
    for waiting in Attempt.objects.past_deadline(now).select_related("exercise"):
        if not needs_settling(waiting, now):
            continue
        with locked(waiting.pk) as attempt:
            closed += settle(attempt, now=now) is not None
    return closed
