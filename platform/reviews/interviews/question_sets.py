"""Question sets: what came out weak in an attempt, saving a set, what an interview starts from."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from statistics import fmean
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from library.choosing import Weakness, minutes_for
from library.models import Question
from library.versions import newest
from reviews.models import Evaluation, QuestionSet, QuestionSetItem

WEAKEST = 3  # criteria that a set is built from
MOST_QUESTIONS = 30
SHORTEST_SET, LONGEST_SET, LONGEST_QUESTION = 5, 240, 120
"""Minutes that a talk, and one question of it, may be planned for."""


def present_questions() -> QuerySet[Question]:
    return Question.objects.filter(replaced_at=None)


def weakest(attempt: Attempt, viewer: User) -> list[Weakness]:
    """The criteria with the lowest mean rating, over the scorecards that the viewer may read."""
    cards = Evaluation.objects.visible_to(viewer).current().submitted().of(attempt)
    levels: dict[str, list[int]] = defaultdict(list)
    criteria: dict[str, dict[str, Any]] = {}
    for card in cards.select_related("submission").prefetch_related("ratings"):
        for item in card.criteria():
            criteria[item["key"]] = item
        for rating in card.ratings.all():
            if rating.level is not None and rating.criterion_key in criteria:
                levels[rating.criterion_key].append(rating.level)
    means = sorted((fmean(values), key) for key, values in levels.items())
    rows = [
        Weakness(criteria[key]["title"], criteria[key]["dimension"], mean)
        for mean, key in means[:WEAKEST]
    ]
    return [row for row in rows if row.mean < 5]


@transaction.atomic
def save_set(
    row: QuestionSet, items: list[tuple[Question, int, str]], *, by: User, now: datetime
) -> QuestionSet:
    """Save a new or changed set with (question, minutes, why) in order; raises NotPossible."""
    if not items:
        raise NotPossible("A set needs one question at least.")
    if len(items) > MOST_QUESTIONS:
        raise NotPossible(f"A set has at most {MOST_QUESTIONS} questions.")
    if len({question.pk for question, _, _ in items}) < len(items):
        raise NotPossible("A question is in the set twice: take one of them out.")
    row.changed_at = now
    if row.pk is None:
        row.created_by, row.created_at = by, now
    row.save()
    row.items.all().delete()
    QuestionSetItem.objects.bulk_create(
        QuestionSetItem(
            question_set=row,
            question=question,
            position=position,
            minutes=minutes,
            why=why[:400],
        )
        for position, (question, minutes, why) in enumerate(items, 1)
    )
    return row


def linked_set(attempt: Attempt, *, by: User, now: datetime) -> QuestionSet:
    """The bank questions of the attempt's exercise and level, as a set of the person's own.

    Raises NotPossible where none is linked. Asked for again it is the same set, brought up to date.
    """
    kind = attempt.exercise.get_kind_display()
    title = f"Linked to the exercise: {kind}"[:150]
    linked = present_questions().filter(related_exercise=attempt.exercise.kind, optional=False)
    linked = linked.filter(Q(level=attempt.level) | Q(shipped=False))
    items = [
        (question, minutes_for(question), f"Linked to the exercise “{kind}”.")
        for question in linked[:MOST_QUESTIONS]
    ]
    if not items:
        raise NotPossible("No question of the bank is linked to this exercise: build a set.")
    mine = QuestionSet.objects.filter(
        title=title, created_by=by, opening=attempt.invitation.opening, retired_at=None
    )
    total = min(LONGEST_SET, max(SHORTEST_SET, sum(minutes for _, minutes, _ in items)))
    row = mine.first() or QuestionSet(title=title, opening=attempt.invitation.opening)
    row.minutes = total
    return save_set(row, items, by=by, now=now)


def items_of(row: QuestionSet) -> list[QuestionSetItem]:
    """The set's questions in order, each in its newest wording; nothing is saved."""
    items = list(row.items.select_related("question"))
    current = newest(item.question for item in items)
    for item in items:
        item.question = current[item.question.pk]
    return items


def read_items(data: Any, known: dict[int, Question]) -> list[tuple[Question, int, str]]:
    """(question, minutes, why) from a form's question, minutes-PK, why-PK, place-PK; in their places."""
    rows = []
    for at, text in enumerate(data.getlist("question")):
        if not (text.isdecimal() and text.isascii() and int(text) in known):
            continue
        question = known[int(text)]
        minutes = _whole(data.get(f"minutes-{text}"), minutes_for(question), 1, LONGEST_QUESTION)
        place = _whole(data.get(f"place-{text}"), at + 1, 1, 999)
        why = data.get(f"why-{text}", "").replace("\x00", "")
        rows.append((place, at, (question, minutes, why)))
    return [item for _, _, item in sorted(rows, key=lambda row: row[:2])]


def _whole(text: str | None, otherwise: int, least: int, most: int) -> int:
    if not text or not (text.isascii() and text.isdecimal()) or len(text) > 4:
        return otherwise
    return min(max(int(text), least), most)
