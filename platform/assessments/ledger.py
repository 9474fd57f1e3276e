"""The one way an attempt's clock changes: a time event, in a transaction that holds the row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import wraps
from time import monotonic, sleep
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from django.db import OperationalError, connection, transaction

from accounts.models import User
from assessments.clock import Event, EventKind, step, uncovered
from assessments.models import Attempt, TimeEvent
from hiring.time_allowed import stretch

CANDIDATE = "candidate"
PLATFORM = "platform"
P = ParamSpec("P")
T = TypeVar("T")
PAUSES_S = (0.1, 0.4)
# Whoever was kept waiting for longer is told so: their browser soon stops waiting.
PATIENCE_S = 5.0


def persistent(verb: Callable[P, T]) -> Callable[P, T]:
    """Try a verb again that the database did not let through: locked, restarted, or a deadlock.

    Only for verbs of which a second call changes nothing where the first one came through.
    """

    @wraps(verb)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        began = monotonic()
        for pause in PAUSES_S:
            try:
                return verb(*args, **kwargs)
            except OperationalError:
                if connection.in_atomic_block or monotonic() - began > PATIENCE_S:
                    raise
            connection.close_if_unusable_or_obsolete()
            sleep(pause)
        return verb(*args, **kwargs)

    return tried


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
) -> None:
    """Append one time event and bring the attempt's row in line."""
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
    )
    attempt.deadline_at = clock.deadline_at or attempt.deadline_at
    attempt.round = clock.round
    attempt.awaiting_round = None if clock.submitted else clock.round
    attempt.save(update_fields=["deadline_at", "round", "awaiting_round"])


def credit(
    attempt: Attempt, *, began: datetime, ended: datetime, reason: str, now: datetime
) -> bool:
    """Give back time that our own fault took, each second once; False where there is none to give.

    The row must be locked.
    """
    if attempt.awaiting_round is None:
        return False
    return credit_all([attempt], began=began, ended=ended, reason=reason, now=now) == 1


def credit_all(
    attempts: Sequence[Attempt], *, began: datetime, ended: datetime, reason: str, now: datetime
) -> int:
    """As `credit`, for rows that are locked and whose clock runs; how many were given something.

    Few statements however many people work at once: what gives time back must not itself take any.
    """
    events = []
    given = _given(attempts)
    for attempt in attempts:
        since, before = max(began, attempt.started_at), attempt.deadline_at
        lost = uncovered(since, ended, given[attempt.pk])
        if lost.total_seconds() < 1:
            continue
        clock = {"before": before, "after": before + lost, "lost_from": since, "lost_until": ended}
        of = {"attempt": attempt, "actor_name": PLATFORM, "reason": reason}
        events.append(TimeEvent(kind=EventKind.CREDITED, at=now, **of, **clock))
        attempt.deadline_at = before + lost
    TimeEvent.objects.bulk_create(events)
    Attempt.objects.bulk_update([event.attempt for event in events], ["deadline_at"])
    return len(events)


def grant_all(
    attempts: Sequence[Attempt], *, minutes: int, reason: str, by: User, now: datetime
) -> int:
    """Add time for everybody to clocks that run, each by the person's factor; how many were given it.

    The rows must be locked. What a person decided to give is no loss of ours: it covers no stretch of
    time, and a credit for a later outage is not made smaller by it.
    """
    events = []
    for attempt in attempts:
        before = attempt.deadline_at
        gained = stretch(timedelta(minutes=minutes), attempt.rules.factor(attempt.round))
        attempt.deadline_at = max(before, now) + gained
        clock = {"at": now, "before": before, "after": attempt.deadline_at}
        of = {"attempt": attempt, "actor": by, "actor_name": str(by), "reason": reason}
        events.append(TimeEvent(kind=EventKind.CREDITED, **of, **clock))
    TimeEvent.objects.bulk_create(events)
    Attempt.objects.bulk_update(attempts, ["deadline_at"])
    return len(events)


def _given(attempts: Sequence[Attempt]) -> dict[UUID, list[tuple[datetime, datetime]]]:
    """What was given back before, by attempt."""
    given = defaultdict(list)
    events = TimeEvent.objects.filter(attempt__in=attempts, kind=EventKind.CREDITED)
    for pk, start, end in events.values_list("attempt", "lost_from", "lost_until"):
        if start and end:
            given[pk].append((start, end))
    return given
