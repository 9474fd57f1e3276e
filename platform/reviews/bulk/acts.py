"""A verb for every row of a selection: what will happen to each and which cannot, then the verb itself.

Nothing is done here that the verb's own page does not do: each row goes through the verb's `perform` and
leaves its own line in the trail. What tells candidates is stored some rows at a time, so that workers hear
of messages once and nobody waits for a hundred transactions; the rest row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.audit import note_actions
from accounts.confirmed import DoneBefore, Refused, Verb
from accounts.models import User
from hiring.messages.outbox import ring
from hiring.messages.together import IN_ONE_TRANSACTION, Batch, together

AT_ONCE = 150
"""Rows of one page and press: what takes longer stands before other people's saves. The dearest press, a
window extended with a mail to each, is kept under 0.3 s of server time: 0.28 s in benchmarks/thousand.json."""


@dataclass(frozen=True)
class Act:
    """A verb that can be done to many.

    `rows(viewer)`: those the viewer may do it to, read so that `foretell` asks nothing more.
    `foretell(row, data, now)`: what will happen, in words that follow the row's name; raises Refused.
    `data` is that of the verb's form; `initial(rows)` is what it shows at first.
    """

    key: str
    verb: Verb
    rows: Callable[[User], QuerySet[Any]]
    foretell: Callable[[Any, dict[str, Any], datetime], str]
    label: Callable[[Any], str]
    button: str
    plural: str
    list_page: str
    initial: Callable[[list[Any]], dict[str, Any]] = lambda rows: {}
    names: Callable[[Any], int | None] = lambda row: None
    """Key of the candidate whose name the label shows."""
    back_to: Callable[[list[Any]], str] | None = None
    """Where its page goes back to, instead of the list; of the rows that it shows."""
    tells: bool = False
    """Whether a mail tells candidates of it; nothing that they write waits for its transaction."""
    perform_all: Callable[[list[Any], dict[str, Any], User, datetime], list[str]] | None = None
    """As the verb's `perform` for rows at once, a sentence for each; refuses all because of one."""


@dataclass(frozen=True)
class Line:
    """One row of the page: `said` is what will happen, or has, or why it cannot."""

    row: Any
    label: str
    said: str
    possible: bool


@dataclass(frozen=True)
class Outcome:
    done: list[Line] = field(default_factory=list)
    refused: list[Line] = field(default_factory=list)


def foretold(act: Act, rows: Iterable[Any], data: dict[str, Any], now: datetime) -> list[Line]:
    """A line for each row; changes nothing."""
    lines = []
    for row in rows:
        try:
            lines.append(Line(row, act.label(row), act.foretell(row, data, now), True))
        except Refused as error:
            lines.append(Line(row, act.label(row), str(error), False))
    return lines


def carry_out(
    act: Act, rows: Iterable[Any], data: dict[str, Any], *, by: User, now: datetime
) -> Outcome:
    """Do it to each; what became impossible meanwhile is refused by itself and stops nothing."""
    chosen, outcome, told = list(rows), Outcome(), 0
    size = IN_ONE_TRANSACTION if act.tells else 1
    for first in range(0, len(chosen), size):
        part = chosen[first : first + size]
        try:
            as_read = list(map(copy, part))  # a verb that gives up may have changed what it holds
            lines, count = _part(act, as_read, data, by, now, carry=_all_done)
        except (Refused, DoneBefore):  # all of it is undone: again, each by itself
            lines, count = _part(act, part, data, by, now, carry=_each_done_or_refused)
        told += count
        outcome.done.extend(line for line in lines if line.possible)
        outcome.refused.extend(line for line in lines if not line.possible)
    if told:
        ring()
    return outcome


def _part(
    act: Act,
    rows: list[Any],
    data: dict[str, Any],
    by: User,
    now: datetime,
    *,
    carry: Callable[[Act, list[Any], dict[str, Any], Batch, User, datetime], list[Line]],
) -> tuple[list[Line], int]:
    """Some rows in one transaction: (a line for each, how many messages were stored)."""
    with together() as batch:
        lines = carry(act, rows, data, batch, by, now)
        note_actions(by, [(line.row, line.said) for line in lines if line.possible])
    return lines, len(batch.rows)


def _all_done(
    act: Act, rows: list[Any], data: dict[str, Any], batch: Batch, by: User, now: datetime
) -> list[Line]:
    """The first that is refused ends it."""
    if act.perform_all:
        said = act.perform_all(rows, data, by, now)
    else:
        said = [act.verb.perform(row, data, by, now) for row in rows]
    return [Line(row, act.label(row), text, True) for row, text in zip(rows, said, strict=True)]


def _each_done_or_refused(
    act: Act, rows: list[Any], data: dict[str, Any], batch: Batch, by: User, now: datetime
) -> list[Line]:
    """What is refused leaves neither a row nor a message behind; that takes a savepoint for each."""
    lines = []
    for row in rows:
        told = len(batch.rows)
        try:
            with transaction.atomic():
                said, possible = act.verb.perform(row, data, by, now), True
        except (Refused, DoneBefore) as error:
            del batch.rows[told:]
            said, possible = str(error), False
        lines.append(Line(row, act.label(row), said, possible))
    return lines
