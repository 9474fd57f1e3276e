"""Explain and defend: the talk about the first answer that comes before feedback, or why it was left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from library.models import HIGHEST, LOWEST, Question
from reviews.models import Defence, DefenceQuestion, Evaluation

MOST_QUESTIONS = 20
LONGEST = 5000
# One scale for every exercise: it rates the reasons, not the answer, which has its own rubric.
LEVELS = {
    1: "Cannot say why the answer is as it is, or contradicts it without noticing.",
    2: "Describes what was done; reasons stay general and give way at the first follow-up.",
    3: "Gives a sound reason for the main decisions and names what was decided against.",
    4: "Ties reasons to facts of this cluster, weighs alternatives, says where the answer is weak.",
    5: "Defends or changes a decision by the facts that are put, says what would change their mind, "
    "and sees consequences that the answer does not mention.",
}
OWES_CARD = (
    "You are to score this person's first answer without having met them: submit that scorecard "
    "first, then come back."
)


@dataclass(frozen=True)
class Put:
    """A question that was put, from the bank or one's own, and what was answered."""

    text: str
    note: str = ""
    question: Question | None = None


def linked_questions(attempt: Attempt) -> QuerySet[Question]:
    """Bank questions of the attempt's exercise and level, and all own ones of it, as they stand now."""
    rows = Question.objects.filter(related_exercise=attempt.exercise.kind, replaced_at=None)
    return rows.filter(Q(level=attempt.level) | Q(shipped=False))


def owes_first_card(person: User, attempt: Attempt) -> bool:
    """Whether somebody is to score the first answer and has not: then they may not meet them yet."""
    if not attempt.assignments.filter(evaluator=person).exists():
        return False
    cards = Evaluation.objects.of(attempt, 1).submitted()
    return not cards.filter(evaluator=person, submission__superseded_at=None).exists()


@transaction.atomic
def hold(
    *,
    attempt: Attempt,
    by: User,
    questions: Sequence[Put],
    notes: str,
    level: int | None,
    reason: str = "",
    now: datetime,
) -> Defence:
    """Record the talk: questions put, notes, rating. `reason` is wanted where it corrects one."""
    asked = [put for put in questions if put.text.strip()]
    if not asked:
        raise NotPossible("Record one question at least that you put to the candidate.")
    if len(asked) > MOST_QUESTIONS:
        raise NotPossible(f"Record at most {MOST_QUESTIONS} questions.")
    if level is None or not LOWEST <= level <= HIGHEST:
        raise NotPossible("Choose the level that describes how the answer was defended.")
    if before := _same_again(attempt, by, reason, asked, notes.strip(), level):
        return before
    row = _next(attempt, by, reason, now)
    row.notes, row.level, row.level_text = notes.strip(), level, LEVELS[level]
    row.save(force_insert=True)
    DefenceQuestion.objects.bulk_create(
        DefenceQuestion(
            defence=row,
            position=position,
            question=put.question,
            text=put.text.strip(),
            note=put.note.strip(),
        )
        for position, put in enumerate(asked, 1)
    )
    return row


@transaction.atomic
def skip(*, attempt: Attempt, by: User, because: str, reason: str = "", now: datetime) -> Defence:
    """Record that there is no talk before the feedback, and why."""
    if not because.strip():
        raise NotPossible("Say why the candidate was not asked to explain the answer.")
    before = Defence.objects.current().filter(attempt=attempt, by=by).first()
    if before and before.skipped_because == because.strip()[:300] and not reason.strip():
        return before  # the same button pressed twice
    row = _next(attempt, by, reason, now)
    row.skipped_because = because.strip()[:300]
    row.save(force_insert=True)
    return row


def _same_again(
    attempt: Attempt, by: User, reason: str, asked: Sequence[Put], notes: str, level: int
) -> Defence | None:
    """The record that this very form made before: the same button pressed twice."""
    Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
    row = Defence.objects.current().filter(attempt=attempt, by=by).first()
    if row is None or reason.strip() or (row.notes, row.level) != (notes, level):
        return None
    held = [(put.text, put.note) for put in row.questions.all()]
    return row if held == [(put.text.strip(), put.note.strip()) for put in asked] else None


def _next(attempt: Attempt, by: User, reason: str, now: datetime) -> Defence:
    """A new row, unsaved; it replaces the person's earlier one where there is one."""
    held = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
    if not held.submissions.filter(round=1, superseded_at=None).exists():
        raise NotPossible("The first answer was not handed in yet: there is nothing to defend.")
    if owes_first_card(by, held):
        raise NotPossible(OWES_CARD)
    before = Defence.objects.current().filter(attempt=held, by=by).first()
    if before and not reason.strip():
        raise NotPossible("You recorded this step before: say why you correct it.")
    return Defence(
        attempt=held,
        by=by,
        recorded_at=now,
        supersedes=before,
        correction_reason=reason.strip()[:300] if before else "",
    )


def is_recorded(attempt: Attempt) -> bool:
    """Whether somebody held the talk or said why not: feedback is not released before."""
    return Defence.objects.filter(attempt=attempt).exists()


def defences_of(attempt: Attempt, viewer: User) -> list[Defence]:
    """What is on record of explain and defend, as far as the viewer may read it."""
    return defences_by_attempt([attempt], viewer)[attempt.pk]


def defences_by_attempt(attempts: Iterable[Attempt], viewer: User) -> dict[UUID, list[Defence]]:
    """The same of several at once; an attempt of which nothing may be read has an empty list."""
    rows = Defence.objects.visible_to(viewer).current().filter(attempt__in=list(attempts))
    found: dict[UUID, list[Defence]] = defaultdict(list)
    for row in rows.select_related("by").prefetch_related("questions__question", "corrections"):
        found[row.attempt_id].append(row)
    return found
