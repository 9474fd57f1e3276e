"""A new opening with all the settings of another: exercises, limits, policies, words of messages.

What belongs to people stays behind: invitations, attempts, decisions, and when it was closed.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from django.db import models, transaction

from accounts.models import User
from hiring.messages.occasions import occasions
from hiring.models import Exercise, MessageWords, Opening

Row = TypeVar("Row", bound=models.Model)
LONGEST_TITLE = 150
NOT_COPIED = {"id", "created_at", "closed_at", "changed_at", "changed_by"}


def title_of_copy(opening: Opening) -> str:
    """ "GPU engineer (copy)", or with a number where there is one already."""
    base = opening.title[: LONGEST_TITLE - 12]
    taken = set(Opening.objects.filter(title__startswith=base).values_list("title", flat=True))
    names = (f"{base} (copy{f' {number}' if number else ''})" for number in range(len(taken) + 1))
    return next(name for name in names if name not in taken)


@transaction.atomic
def copy_opening(opening: Opening, *, title: str, by: User, now: datetime) -> Opening:
    """The copy, open and without anybody invited."""
    made = _copied(opening, title=title, created_at=now)
    for exercise in opening.exercises.all():
        _copied(exercise, opening=made)
    for words in words_that_count(opening):
        _copied(words, opening=made, changed_by=by)
    return made


def words_that_count(opening: Opening) -> list[MessageWords]:
    """The opening's newest words of each occasion, without those that were taken back."""
    rows = (opening.message_words.filter(occasion=key).first() for key in occasions())
    return [row for row in rows if row is not None and row.text]


def _copied(row: Row, **changes: object) -> Row:
    """A new row with every value of the old one but those named: a new field is copied as well."""
    values = {
        field.name: getattr(row, field.name)
        for field in row._meta.concrete_fields
        if field.name not in NOT_COPIED
    }
    return type(row)._default_manager.create(**(values | changes))


def what_is_copied(opening: Opening) -> list[str]:
    """For the page that asks: sentences about what the copy will have."""
    exercises: list[Exercise] = list(opening.exercises.all())
    words = words_that_count(opening)
    found = [
        f"{row}, {row.limit_minutes} minutes and {row.revision_minutes} of revision, with its policies"
        for row in exercises
    ]
    if opening.company:
        found.append(f"The company profile {opening.company}")
    if words:
        titles = ", ".join(occasions()[row.occasion].title.lower() for row in words)
        found.append(f"Its own words of messages: {titles}")
    lead = f"hiring manager {opening.hiring_manager}" if opening.hiring_manager else ""
    rules = f"{opening.evaluators_per_answer} evaluators for each answer"
    found.append(", ".join(part for part in (lead, rules, "weights and rules") if part))
    return [sentence[:1].upper() + sentence[1:] for sentence in found]
