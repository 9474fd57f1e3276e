"""The clock of an attempt as pure functions: from rules, recorded events and now to a phase.

Knows no database and reads no time of its own. An attempt's stored deadline is always the one that
`replay` finds in its events; a property test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from hiring.time_allowed import stretch


class Phase(StrEnum):
    RUNNING = "running"
    GRACE = "grace"  # only a save that was on its way when time ended
    OVERDUE = "overdue"  # time and grace are over, nobody has promoted the last draft yet
    SUBMITTED = "submitted"
    REVISION_OPEN = "revision_open"  # feedback is released, the revision clock is not started
    REVISING = "revising"
    REVISION_GRACE = "revision_grace"
    REVISION_OVERDUE = "revision_overdue"
    REVISION_SUBMITTED = "revision_submitted"

    @property
    def is_working(self) -> bool:
        """The clock runs and the candidate may change the answer."""
        return self in {Phase.RUNNING, Phase.REVISING}

    @property
    def accepts(self) -> bool:
        """A save that arrives now still counts."""
        return self.is_working or self in {Phase.GRACE, Phase.REVISION_GRACE}


class EventKind(StrEnum):
    STARTED = "started"
    EXTENDED = "extended"
    CREDITED = "credited"
    SUBMITTED = "submitted"
    PROMOTED = "promoted"
    REOPENED = "reopened"
    REVISION_OPENED = "revision_opened"
    REVISION_STARTED = "revision_started"


@dataclass(frozen=True)
class Rules:
    """What an exercise and a person's accommodation say about time.

    Each round keeps the factor it began with: multiplier is the first's, revision_multiplier the
    revision's, None where none has begun and the first's holds.
    """

    limit: timedelta
    revision_limit: timedelta
    grace: timedelta
    multiplier: Decimal = Decimal(1)
    revision_multiplier: Decimal | None = None

    def factor(self, round: int) -> Decimal:
        known = self.revision_multiplier if round == 2 else None
        return self.multiplier if known is None else known

    def work_time(self) -> timedelta:
        return stretch(self.limit, self.factor(1))

    def revision_time(self) -> timedelta:
        return stretch(self.revision_limit, self.factor(2))

    def grace_time(self, round: int = 1) -> timedelta:
        return stretch(self.grace, self.factor(round))


@dataclass(frozen=True)
class Event:
    """One recorded fact about the clock; `after` is the deadline that holds from then on."""

    kind: EventKind
    at: datetime
    before: datetime | None
    after: datetime | None


@dataclass(frozen=True)
class Clock:
    """Where a history of events has brought an attempt."""

    round: int = 1
    started_at: datetime | None = None
    deadline_at: datetime | None = None
    submitted: bool = False
    opened: bool = False  # a revision was opened and not started

    def phase(self, grace: timedelta, now: datetime) -> Phase:
        """The phase at `now`; raises ValueError for an attempt that was never started."""
        if self.deadline_at is None:
            raise ValueError("An attempt that was never started has no phase.")
        if self.opened:
            return Phase.REVISION_OPEN
        if self.submitted:
            return Phase.SUBMITTED if self.round == 1 else Phase.REVISION_SUBMITTED
        first = self.round == 1
        if now < self.deadline_at:
            return Phase.RUNNING if first else Phase.REVISING
        if now < self.deadline_at + grace:
            return Phase.GRACE if first else Phase.REVISION_GRACE
        return Phase.OVERDUE if first else Phase.REVISION_OVERDUE


def first_deadline(rules: Rules, started_at: datetime, window_closes_at: datetime) -> datetime:
    """Start plus the person's work time, but not beyond the end of their window."""
    return min(started_at + rules.work_time(), window_closes_at)


def uncovered(
    began: datetime, ended: datetime, covered: Iterable[tuple[datetime, datetime]]
) -> timedelta:
    """How much of [began, ended] lies in none of the covered stretches."""
    lost, at = timedelta(0), began
    for start, end in sorted(covered):
        lost += max(timedelta(0), min(start, ended) - at)
        at = max(at, min(end, ended))
    return lost + max(timedelta(0), ended - at)


ALLOWED: dict[EventKind, Callable[[Clock], bool]] = {
    EventKind.STARTED: lambda clock: clock.started_at is None,
    EventKind.EXTENDED: lambda clock: clock.started_at is not None and not clock.submitted,
    EventKind.CREDITED: lambda clock: clock.started_at is not None and not clock.submitted,
    EventKind.SUBMITTED: lambda clock: clock.started_at is not None and not clock.submitted,
    EventKind.PROMOTED: lambda clock: clock.started_at is not None and not clock.submitted,
    EventKind.REOPENED: lambda clock: clock.submitted and not clock.opened,
    EventKind.REVISION_OPENED: lambda clock: (
        clock.submitted and clock.round == 1 and not clock.opened
    ),
    EventKind.REVISION_STARTED: lambda clock: clock.opened,
}


def step(clock: Clock, event: Event) -> Clock:
    """The clock after one more event; raises ValueError where the event cannot follow."""
    allowed = ALLOWED[event.kind]
    if not allowed(clock):
        raise ValueError(f"{event.kind} cannot follow here.")
    match event.kind:
        case EventKind.STARTED:
            return Clock(1, event.at, event.after)
        case EventKind.EXTENDED | EventKind.CREDITED:
            return replace(clock, deadline_at=event.after)
        case EventKind.SUBMITTED | EventKind.PROMOTED:
            return replace(clock, submitted=True)
        case EventKind.REOPENED:
            return replace(clock, submitted=False, deadline_at=event.after)
        case EventKind.REVISION_OPENED:
            return replace(clock, opened=True)
        case EventKind.REVISION_STARTED:
            return Clock(2, clock.started_at, event.after)
    raise AssertionError(event.kind)


def replay(events: Iterable[Event]) -> Clock:
    """The clock after all events, in the order they were recorded."""
    clock = Clock()
    for event in events:
        clock = step(clock, event)
    return clock


def phase(rules: Rules, events: Iterable[Event], now: datetime) -> Phase:
    """The one answer to "what may happen now": exercise, accommodation, events, now -> phase."""
    clock = replay(events)
    return clock.phase(rules.grace_time(clock.round), now)
