"""Bring questions of a file into the bank: first what would happen to each, then those that can be used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.models import User
from library import versions
from library.exchange import Row, read
from library.models import Question


@dataclass
class Plan:
    """What would become of one row: new, changed, same or wrong."""

    row: Row
    kind: str
    old: Question | None = None

    @property
    def words(self) -> str:
        if self.kind == "changed" and self.old:
            return f"becomes version {self.old.version + 1}"
        return {"new": "new", "same": "in the bank already", "wrong": "cannot be used"}[self.kind]


def plan(text: str) -> list[Plan]:
    """What importing the text would do; raises exchange.Unreadable. Changes nothing.

    A row is the next version of an own question where topic id and topic are those of exactly one.
    A shipped question is never changed: other words under its topic become an own question.
    """
    rows = read(text)
    current = list(Question.objects.filter(replaced_at=None))
    own: dict[tuple[str, str], list[Question]] = {}
    for question in current:
        if not question.shipped:
            own.setdefault((question.topic_id, question.topic), []).append(question)
    by_text: dict[str, list[Question]] = {}
    for question in current:
        by_text.setdefault(question.text, []).append(question)
    return [_planned(row, own, by_text) for row in rows]


def _planned(
    row: Row, own: dict[tuple[str, str], list[Question]], by_text: dict[str, list[Question]]
) -> Plan:
    if row.problems:
        return Plan(row, "wrong")
    made = row.as_question()
    for same in by_text.get(made.text, []):
        if versions.same_content(same, made):
            return Plan(row, "same", same)
    alike = own.get((made.topic_id, made.topic), [])
    if len(alike) == 1:
        # Two rows of one file under one topic are two questions, not a version each.
        return Plan(row, "changed", own[(made.topic_id, made.topic)].pop())
    return Plan(row, "new")


@transaction.atomic
def carry_out(text: str, *, by: User, now: datetime) -> dict[str, int]:
    """Import all rows that can be used; how many of each kind. Raises what `plan` and `replace` do."""
    counts = {"new": 0, "changed": 0, "same": 0, "wrong": 0}
    for planned in plan(text):
        counts[planned.kind] += 1
        made = planned.row.as_question() if planned.kind in ("new", "changed") else None
        if made and planned.old:
            versions.replace(planned.old, made, by=by, now=now)
        elif made:
            made.created_at, made.changed_by = now, by
            made.save(force_insert=True)
    return counts
