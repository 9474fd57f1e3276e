"""A verb for every row of a selection: what will happen to each and which cannot, then the verb itself.

Nothing is done here that the verb's own page does not do: each row goes through the verb's `perform` and
leaves its own line in the trail. What tells candidates is stored some rows at a time, so that workers hear
of messages once and nobody waits for two hundred transactions; the rest row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

AT_ONCE = 200
"""Rows of one page and press: what takes longer stands before other people's saves."""


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
    tells: bool = False
    """Whether a mail tells candidates of it; nothing that they write waits for its transaction."""


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
        with together() as batch:
            lines = [_line(act, row, data, batch, by, now) for row in chosen[first : first + size]]
            done = [line for line in lines if line.possible]
            note_actions(by, [(line.row, line.said) for line in done])
        told += len(batch.rows)
        outcome.done.extend(done)
        outcome.refused.extend(line for line in lines if not line.possible)
    if told:
        ring()
    return outcome


def _line(act: Act, row: Any, data: dict[str, Any], batch: Batch, by: User, now: datetime) -> Line:
    """One row, done or refused; what is refused leaves neither a row nor a message behind."""
    told = len(batch.rows)
    try:
        with transaction.atomic():
            return Line(row, act.label(row), act.verb.perform(row, data, by, now), True)
    except (Refused, DoneBefore) as error:
        del batch.rows[told:]
        return Line(row, act.label(row), str(error), False)
