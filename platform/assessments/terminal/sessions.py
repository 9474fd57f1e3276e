"""What the page may do with a terminal: ask for one, type into it, read what it printed. Rows only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from assessments.kinds import workplace_of
from assessments.ledger import locked
from assessments.models import Attempt
from assessments.models.terminal import TerminalChunk, TerminalSession
from assessments.pulses import TERMINAL, is_alive
from assessments.terminal import endings

MOST_STARTED, STARTED_PER = 30, timedelta(minutes=10)
MOST_TYPED = 8 << 20
MOST_SENT = 256 << 10
MOST_PAGES = 40
LOOKED_EVERY = timedelta(seconds=5)
PATIENCE = timedelta(seconds=4)
WAIT_S, STEP_S = 0.15, 0.012
Direction, State = TerminalChunk.Direction, TerminalSession.State

QUEUED = (
    "All places for terminals are taken at the moment. Yours starts by itself as soon as one is free; "
    "logs, charts, configuration and queries do not wait."
)
AWAY = (
    "The terminal cannot be started at the moment, which is our fault and not yours. It starts by itself "
    "once it can; logs, charts, configuration and queries work without it."
)


class TooMany(Exception):
    """More than one page can need; one sentence."""


@dataclass(frozen=True)
class Typed:
    """What one page sent at once: `page` and `number` say which, so that it counts once."""

    page: UUID
    number: int
    data: bytes


@dataclass(frozen=True)
class Printed:
    """Bytes after chunk `after`, up to chunk `upto`; `skipped`: some before them are kept no more."""

    data: bytes
    upto: int
    skipped: bool


def start(attempt: Attempt, *, columns: int, rows: int, now: datetime) -> TerminalSession:
    """Ask for a new shell; one that is still there gives way, or is what there is. Raises TooMany."""
    with locked(attempt.pk) as row:
        there = row.terminal_sessions.exclude(state=State.ENDED).first()
        if there and workplace_of(row.exercise).keeps_terminal and not there.is_silent(now):
            return there
        if row.terminal_sessions.filter(asked_at__gt=now - STARTED_PER).count() >= MOST_STARTED:
            raise TooMany(
                "That was many terminals in ten minutes: wait a moment, then start another."
            )
        end(row.terminal_sessions.exclude(state=State.ENDED), endings.REPLACED, now=now)
        return TerminalSession.objects.create(
            attempt=row,
            round=row.round,
            asked_at=now,
            looked_at=now,
            typed_at=now,
            columns=columns,
            rows=rows,
        )


def end(sessions: Any, ending: str, *, now: datetime, trouble: str = "") -> int:
    """End those of these sessions that are open; how many."""
    still = sessions.exclude(state=State.ENDED)
    return int(still.update(state=State.ENDED, ending=ending, ended_at=now, trouble=trouble[:2000]))


def newest(attempt: Attempt) -> TerminalSession | None:
    return attempt.terminal_sessions.order_by("-asked_at", "-pk").first()


def type_into(pk: UUID, typed: Typed, *, now: datetime) -> int:
    """Keep what was typed, once. Returns the page's newest number that is kept. Raises TooMany."""
    with transaction.atomic():
        row = TerminalSession.objects.select_for_update().get(pk=pk)
        known = int(row.typed.get(str(typed.page), 0))
        if not row.is_open or typed.number <= known:
            return max(known, typed.number if not row.is_open else 0)
        if row.typed_bytes + len(typed.data) > MOST_TYPED:
            raise TooMany("That is more than can be typed into one terminal: start it anew.")
        row.typed.pop(str(typed.page), None)
        pages = list(row.typed.items())[-MOST_PAGES:]
        row.typed = dict([*pages, (str(typed.page), typed.number)])
        row.inputs += 1
        row.typed_bytes += len(typed.data)
        row.typed_at = now
        row.save(update_fields=["typed", "inputs", "typed_bytes", "typed_at"])
        _append(row, Direction.IN, typed.data, now)
    return typed.number


def resize(pk: UUID, columns: int, rows: int, *, now: datetime) -> None:
    """Tell the shell how large its window is, where that has changed."""
    with transaction.atomic():
        row = TerminalSession.objects.select_for_update().get(pk=pk)
        if row.is_open and (row.columns, row.rows) != (columns, rows):
            row.columns, row.rows = columns, rows
            row.inputs += 1
            row.save(update_fields=["columns", "rows", "inputs"])
            _append(row, Direction.SIZE, f"{columns},{rows}".encode(), now)


def _append(row: TerminalSession, direction: str, data: bytes, now: datetime) -> None:
    TerminalChunk.objects.create(
        session=row, direction=direction, seq=row.inputs, at=now, data=data
    )


def look(row: TerminalSession, *, now: datetime) -> TerminalSession:
    """Note that the page is there; end the session where its host has gone."""
    if row.state == State.WAITING and now - row.looked_at > LOOKED_EVERY:
        TerminalSession.objects.filter(pk=row.pk).update(looked_at=now)
    if row.is_silent(now):
        end(TerminalSession.objects.filter(pk=row.pk), endings.LOST, now=now)
        row.refresh_from_db()
    return row


def printed(row: TerminalSession, after: int, *, wait: bool) -> Printed:
    """What was printed after a chunk; with `wait`, wait a moment for the first of it."""
    until = time.monotonic() + WAIT_S
    while True:
        found = _chunks(row, after)
        if found or not wait or time.monotonic() > until:
            break
        time.sleep(STEP_S)
    skipped = bool(found) and found[0][0] > after + 1
    return Printed(b"".join(data for _, data in found), found[-1][0] if found else after, skipped)


def _chunks(row: TerminalSession, after: int) -> Sequence[tuple[int, bytes]]:
    rows = TerminalChunk.objects.filter(session=row, direction=Direction.OUT, seq__gt=after)
    found, size = [], 0
    for seq, data in rows.order_by("seq").values_list("seq", "data")[:400]:
        found.append((seq, bytes(data)))
        size += len(data)
        if size > MOST_SENT:
            break
    return found


def told(row: TerminalSession | None, *, now: datetime) -> dict[str, Any]:
    """What the page shows of a session's state."""
    if row is None:
        return {"session": None, "state": "none", "ending": "", "sentence": ""}
    usual = {**endings.SENTENCES, "queued": QUEUED, "away": AWAY}
    words = {**usual, **workplace_of(row.attempt.exercise).ending_words}
    sentence = str(words.get(row.ending, ""))
    if row.state == State.WAITING and now - row.asked_at > PATIENCE:
        sentence = str(words["queued" if is_alive(TERMINAL, now) else "away"])
    return {
        "session": str(row.pk),
        "state": row.state,
        "ending": row.ending,
        "sentence": sentence,
    }


def forget_typing(*, before: datetime) -> int:
    """Remove what was typed in sessions that ended before; what was printed and run stays. How many rows."""
    typed = TerminalChunk.objects.exclude(direction=Direction.OUT)
    return typed.filter(session__ended_at__lt=before).delete()[0]
