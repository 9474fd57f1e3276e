"""Change an own question: another wording is another row, so what was asked stays as it was."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from accounts.models import User
from library.models import Question

# What makes a question what it is; a difference in one of these is another version.
CONTENT = tuple(
    (
        "topic_id topic section text level optional tags related_exercise expected_points follow_ups "
        "follow_up_answers weak_answers red_flags hints discussion_points"
    ).split()
)


class ReplacedMeanwhile(ValueError):
    """Somebody else changed the question first; the text is one sentence."""


def same_content(one: Question, other: Question) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in CONTENT)


@transaction.atomic
def replace(old: Question, changed: Question, *, by: User, now: datetime) -> Question:
    """`changed` as the next version of `old`, or `old` where nothing differs.

    Raises ReplacedMeanwhile where `old` is no longer the newest version.
    """
    locked = Question.objects.select_for_update().filter(pk=old.pk, replaced_at=None).first()
    if locked is None:
        raise ReplacedMeanwhile(
            "Somebody changed this question since you opened it: open the newest version."
        )
    if same_content(locked, changed):
        return locked
    Question.objects.filter(pk=locked.pk).update(replaced_at=now)
    changed.pk, changed._state.adding = None, True
    changed.family, changed.version = locked.family, locked.version + 1
    changed.replaced_at, changed.created_at, changed.changed_by = None, now, by
    changed.save(force_insert=True)
    return changed


def newest(questions: Iterable[Question]) -> dict[int, Question]:
    """pk of each given question -> its newest version; one query for all of them."""
    given = list(questions)
    families = {question.family for question in given}
    rows = Question.objects.filter(family__in=families, replaced_at=None)
    found = {row.family: row for row in rows}
    return {question.pk: found.get(question.family, question) for question in given}


def versions_of(question: Question) -> list[Question]:
    """All versions of a question, newest first."""
    rows = Question.objects.filter(family=question.family).select_related("changed_by")
    return list(rows.order_by("-version"))
