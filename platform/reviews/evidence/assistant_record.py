"""What a candidate asked the assistant and what it answered, as staff read it: in order, by the minute."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from assessments.assistant import asking
from assessments.clock import EventKind
from assessments.models import AssistantTurn, Attempt
from reviews.evidence.answer_text import visible
from reviews.evidence.ordinary_minutes import ordinary_time_of

_STARTS = (EventKind.STARTED, EventKind.REVISION_STARTED)


class Asked(NamedTuple):
    """One question. `minute` is of the ordinary time limit; `problem` in words, "" for none."""

    round: int
    minute: int
    at: datetime
    question: str
    answer: str
    model: str
    tokens: int
    is_counted: bool
    problem: str
    is_open: bool


class Record(NamedTuple):
    """`offered`: the candidate had it; `asked` in order; `tokens` of all together."""

    offered: bool
    asked: list[Asked]
    tokens: int


def record(attempt: Attempt) -> Record:
    """Nothing but "not offered" for an attempt without it, and no query."""
    if not asking.is_offered(attempt):
        return Record(False, [], 0)
    rows = list(attempt.assistant_turns.all())
    return Record(True, told(attempt, rows), sum(row.tokens for row in rows))


def told(attempt: Attempt, rows: Iterable[AssistantTurn]) -> list[Asked]:
    """Questions for the page."""
    starts = [row.at for row in attempt.time_events.all() if EventKind(row.kind) in _STARTS]
    times = {round: ordinary_time_of(attempt, round) for round in (1, 2)}
    began = dict(enumerate(starts, start=1))
    return [
        Asked(
            round=row.round,
            minute=times[row.round].at(row.asked_at, began.get(row.round, row.asked_at)),
            at=row.asked_at,
            question=_whole(row.question),
            answer=_whole(row.answer),
            model=row.model,
            tokens=row.tokens,
            is_counted=row.is_counted,
            problem=row.get_problem_display() if row.problem else "",
            is_open=row.ended_at is None,
        )
        for row in rows
    ]


def _whole(text: str) -> str:
    """With what nobody could see written out, line by line."""
    return "\n".join(visible(line) for line in text.split("\n"))
