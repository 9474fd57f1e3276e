"""What a candidate ran in the terminal, as staff read it: in order, by the minute, with what was printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from assessments.clock import EventKind
from assessments.models import Attempt
from assessments.models.terminal import TerminalChunk, TerminalCommand, TerminalSession
from reviews.evidence.answer_text import Line, numbered, visible
from reviews.evidence.ordinary_minutes import OrdinaryTime, ordinary_time_of

SHOWN_COMMANDS = 500
MOST_PRINTED = 400_000
"""Bytes of one session's output that are shown; the newest where there are more."""
_STARTS = (EventKind.STARTED, EventKind.REVISION_STARTED)


class Ran(NamedTuple):
    """One command. `minute` is of the ordinary time limit; `answered`: the cluster's own record of it."""

    round: int
    minute: int
    at: datetime
    host: str
    line: str
    code: int
    answered: bool


class Session(NamedTuple):
    """One shell and what it printed, as far as it is kept; `cut`: there was more before."""

    number: int
    round: int
    lines: list[Line]
    cut: bool


class Record(NamedTuple):
    """`total` of all commands; `ran` the first of them."""

    total: int
    ran: list[Ran]
    sessions: list[Session]


def record(attempt: Attempt) -> Record:
    """The terminal of an attempt that has one, in three queries; nothing for any other."""
    if not attempt.exercise.has_terminal:
        return Record(0, [], [])
    rows = list(commands(attempt))
    return Record(len(rows), told(attempt, rows[:SHOWN_COMMANDS]), _sessions(attempt))


def commands(attempt: Attempt) -> Iterable[TerminalCommand]:
    """Every recorded command in the order in which they ended."""
    rows = TerminalCommand.objects.filter(session__attempt=attempt)
    return rows.select_related("session").order_by("at", "pk")


def told(attempt: Attempt, rows: Iterable[TerminalCommand]) -> list[Ran]:
    """Commands for the page; the attempt's time events are read once."""
    starts = starts_of(attempt)
    times = {round: ordinary_time_of(attempt, round) for round in (1, 2)}
    return [_ran(row, starts, times[row.session.round]) for row in rows]


def _ran(row: TerminalCommand, starts: dict[int, datetime], ordinary_time: OrdinaryTime) -> Ran:
    round = row.session.round
    return Ran(
        round=round,
        minute=ordinary_time.at(row.at, starts.get(round, row.at)),
        at=row.at,
        host=visible(row.host),
        line="\n".join(visible(part) for part in row.line.split("\n")),
        code=row.code,
        answered=row.source == TerminalCommand.Source.CLUSTER,
    )


def starts_of(attempt: Attempt) -> dict[int, datetime]:
    """When the work of each round began."""
    found = [row.at for row in attempt.time_events.all() if EventKind(row.kind) in _STARTS]
    return dict(enumerate(found, start=1))


def _sessions(attempt: Attempt) -> list[Session]:
    chunks: dict[Any, list[bytes]] = {}
    rows = TerminalChunk.objects.filter(
        session__attempt=attempt, direction=TerminalChunk.Direction.OUT
    )
    for session, data in rows.order_by("session", "seq").values_list("session", "data"):
        chunks.setdefault(session, []).append(bytes(data))
    shells = TerminalSession.objects.filter(attempt=attempt).order_by("asked_at", "pk")
    found = []
    for number, (key, round) in enumerate(shells.values_list("pk", "round"), start=1):
        data = b"".join(chunks.get(key, []))
        if data:
            text = plain(data[-MOST_PRINTED:].decode(errors="replace"))
            found.append(Session(number, round, numbered(text), len(data) > MOST_PRINTED))
    return found


_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles
    r"|\x1b[PX^_].*?\x1b\\"
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)


def plain(text: str) -> str:
    """Text for a terminal as lines: without colours, what was typed over or rubbed out left out.

    Programs that paint the whole screen, as editors do, are shown as what they wrote, in its order.
    """
    lines = _SEQUENCE.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(_typed(line) for line in lines)


def _typed(line: str) -> str:
    """One line after its backspaces and carriage returns."""
    shown: list[str] = []
    at = 0
    for char in line:
        if char == "\r":
            at = 0
        elif char == "\b":
            at = max(0, at - 1)
        elif char != "\a":
            shown[at : at + 1] = [char]
            at += 1
    return "".join(shown).rstrip()
