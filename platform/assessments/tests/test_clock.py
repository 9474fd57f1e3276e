"""The clock as a pure function: tables for the phases, random histories for the promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.clock import (
    ALLOWED,
    Clock,
    Event,
    EventKind,
    Phase,
    Rules,
    first_deadline,
    phase,
    replay,
    step,
)
from hiring.time_allowed import stretch

T0 = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
RULES = Rules(timedelta(minutes=60), timedelta(minutes=15), timedelta(seconds=20))
K = EventKind
ORDER = [
    Phase.RUNNING,
    Phase.GRACE,
    Phase.OVERDUE,
    Phase.SUBMITTED,
    Phase.REVISION_OPEN,
    Phase.REVISING,
    Phase.REVISION_GRACE,
    Phase.REVISION_OVERDUE,
    Phase.REVISION_SUBMITTED,
]


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def started(rules: Rules = RULES) -> Event:
    return Event(K.STARTED, T0, None, first_deadline(rules, T0, T0 + timedelta(days=7)))


@pytest.mark.parametrize(
    ("after_start", "expected"),
    [
        (minutes(0), Phase.RUNNING),
        (minutes(60) - timedelta(microseconds=1), Phase.RUNNING),
        (minutes(60), Phase.GRACE),
        (minutes(60) + timedelta(seconds=19.999), Phase.GRACE),
        (minutes(60) + timedelta(seconds=20), Phase.OVERDUE),
        (timedelta(days=3), Phase.OVERDUE),
    ],
)
def test_phase_follows_the_deadline(after_start: timedelta, expected: Phase) -> None:
    assert phase(RULES, [started()], T0 + after_start) == expected


def test_phase_walks_through_the_revision() -> None:
    end = T0 + minutes(60)
    history = [started(), Event(K.SUBMITTED, T0 + minutes(50), end, end)]
    assert phase(RULES, history, T0 + minutes(51)) == Phase.SUBMITTED
    assert phase(RULES, history, T0 + timedelta(days=2)) == Phase.SUBMITTED
    history.append(Event(K.REVISION_OPENED, T0 + minutes(90), end, end))
    assert phase(RULES, history, T0 + timedelta(days=2)) == Phase.REVISION_OPEN
    again = T0 + timedelta(days=2)
    history.append(Event(K.REVISION_STARTED, again, end, again + RULES.revision_time()))
    assert phase(RULES, history, again + minutes(14)) == Phase.REVISING
    assert phase(RULES, history, again + minutes(15)) == Phase.REVISION_GRACE
    assert phase(RULES, history, again + minutes(16)) == Phase.REVISION_OVERDUE
    history.append(Event(K.PROMOTED, again + minutes(16), None, again + minutes(15)))
    assert phase(RULES, history, again + minutes(16)) == Phase.REVISION_SUBMITTED


@given(st.decimals(min_value="1", max_value="4", places=2), st.integers(1, 600))
def test_accommodation_stretches_everything_timed(factor: Decimal, limit: int) -> None:
    rules = Rules(minutes(limit), minutes(15), timedelta(seconds=20), factor)
    assert rules.work_time() >= minutes(limit)
    for plain, longer in (
        (minutes(limit), rules.work_time()),
        (minutes(15), rules.revision_time()),
        (timedelta(seconds=20), rules.grace_time()),
    ):
        exact = Decimal(int(plain.total_seconds())) * factor
        assert 0 <= Decimal(longer.total_seconds()) - exact < 1
        assert longer == stretch(plain, factor)


def test_first_deadline_is_capped_by_the_window() -> None:
    assert first_deadline(RULES, T0, T0 + minutes(30)) == T0 + minutes(30)


# A history as people make it: gaps between actions, and what somebody tried to do then.
ACTION = st.tuples(
    st.timedeltas(min_value=timedelta(0), max_value=timedelta(hours=3)),
    st.sampled_from(list(EventKind)),
    st.integers(1, 120),
)


def follow(actions: list[tuple[timedelta, EventKind, int]]) -> list[tuple[Event, Clock]]:
    """Only what is allowed at its moment happens; gives each event with the clock after it."""
    clock, now, happened = Clock(), T0, list[tuple[Event, Clock]]()
    for gap, kind, length in [(timedelta(0), K.STARTED, 0), *actions]:
        now += gap
        if not ALLOWED[kind](clock):
            continue
        after = clock.deadline_at
        if kind == K.STARTED:
            after = now + RULES.work_time()
        elif kind in {K.EXTENDED, K.CREDITED}:
            after = max(clock.deadline_at or now, now) + minutes(length)
        elif kind in {K.REOPENED, K.REVISION_STARTED}:
            after = now + minutes(length)
        event = Event(kind, now, clock.deadline_at, after)
        clock = step(clock, event)
        happened.append((event, clock))
    return happened


FACTORS = st.decimals(1, 4, places=2)


@given(FACTORS, FACTORS, st.lists(ACTION, max_size=25), st.integers(0, 200))
def test_each_round_keeps_the_factor_it_began_with(
    first: Decimal, second: Decimal, actions: list[tuple[timedelta, EventKind, int]], late_s: int
) -> None:
    """Whatever happens later: the grace of a round, and so its phase, follow its own factor alone."""
    whole = replace(RULES, multiplier=first, revision_multiplier=second)
    assert whole.work_time() == stretch(RULES.limit, first)
    assert whole.revision_time() == stretch(RULES.revision_limit, second)
    assert replace(whole, revision_multiplier=None).revision_time() == stretch(
        RULES.revision_limit, first
    )
    events = [event for event, _ in follow(actions)]
    clock = replay(events)
    own = {1: first, 2: second}[clock.round]
    assert clock.deadline_at is not None
    at = clock.deadline_at + timedelta(seconds=late_s)
    alone = replace(RULES, multiplier=own, revision_multiplier=own)
    assert phase(whole, events, at) == phase(alone, events, at)
    if not clock.submitted and not clock.opened:
        saves = timedelta(seconds=late_s) < stretch(RULES.grace, own)
        assert phase(whole, events, at).accepts == saves


@given(FACTORS, st.integers(0, 14 * 24 * 3600))
def test_nobody_is_given_less_than_said_unless_the_window_ends(
    factor: Decimal, window_s: int
) -> None:
    rules = replace(RULES, multiplier=factor)
    closes_at = T0 + timedelta(seconds=window_s)
    deadline = first_deadline(rules, T0, closes_at)
    assert deadline == min(closes_at, T0 + rules.work_time())
    assert (deadline - T0) % timedelta(seconds=1) == timedelta(0)


@given(st.lists(ACTION, max_size=25))
def test_deadline_never_moves_without_an_event(
    actions: list[tuple[timedelta, EventKind, int]],
) -> None:
    before: datetime | None = None
    for event, clock in follow(actions):
        if clock.deadline_at != before:
            assert event.after == clock.deadline_at
            assert event.before == before
            assert event.kind not in {K.SUBMITTED, K.PROMOTED, K.REVISION_OPENED}
        before = clock.deadline_at


@given(st.lists(ACTION, max_size=25), st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_phase_is_monotone_unless_time_is_given(
    actions: list[tuple[timedelta, EventKind, int]], instants: list[float]
) -> None:
    history = follow(actions)
    for index, (event, clock) in enumerate(history):
        until = history[index + 1][0].at if index + 1 < len(history) else event.at + minutes(600)
        moments = sorted(event.at + (until - event.at) * part for part in instants)
        phases = [ORDER.index(clock.phase(RULES.grace_time(), at)) for at in moments]
        assert phases == sorted(phases)
        if index and event.kind not in {K.EXTENDED, K.CREDITED, K.REOPENED}:
            before = history[index - 1][1].phase(RULES.grace_time(), event.at)
            now = clock.phase(RULES.grace_time(), event.at)
            assert ORDER.index(now) >= ORDER.index(before)


@given(st.lists(ACTION, max_size=25))
def test_replay_of_events_gives_the_clock_they_built(
    actions: list[tuple[timedelta, EventKind, int]],
) -> None:
    history = follow(actions)
    assert replay([event for event, _ in history]) == history[-1][1]


@pytest.mark.parametrize("kind", [kind for kind in EventKind if kind != K.STARTED])
def test_nothing_precedes_the_start(kind: EventKind) -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        step(Clock(), Event(kind, T0, None, T0))


def test_second_start_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        replay([started(), started()])
