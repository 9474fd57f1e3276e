"""Whether there is an assistant, what may be asked of it, and what is left of the attempt's tokens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum
from django.utils.translation import gettext as _

from accounts.not_possible import NotPossible
from assessments.models import AssistantTurn, Attempt
from hiring.models import Assistants, Exercise

ACCEPTED = "assistant"
"""Key of the notice among what a candidate accepts before Start: whoever was not told is offered none."""
LONGEST, MOST = 20_000, 200
"""Characters of a question; questions of one attempt."""
SILENT = timedelta(seconds=40)
"""After so long without a word from the process that asks, it is gone."""
CHARACTERS_PER_TOKEN = 4
"""What is reckoned with where an endpoint does not count: about that of English text."""
LEAST = 200
"""Tokens: with fewer left no answer could be of use."""


class Asking(NotPossible):
    """The last question is still being answered."""


def notice(exercise: Exercise) -> str:
    """What a candidate is told of it before Start; "" where none is provided."""
    if exercise.assistants != Assistants.PROVIDED:
        return ""
    return _(
        "Everything that you ask the assistant on the page and all that it answers is recorded, with "
        "times, and the interviewers read it beside your answer. It gets only what you write to it, "
        "through our server, and knows nothing of the exercise by itself. If it does not answer, go on "
        "without it: nobody is expected to use it."
    )


def is_offered(attempt: Attempt) -> bool:
    """Whether the page has the assistant: only where the candidate accepted its being recorded."""
    return bool(attempt.policies.get(ACCEPTED))


def is_set_up() -> bool:
    return bool(settings.ASSISTANT_URL)


def left(attempt: Attempt) -> int:
    """Tokens that the attempt may still use."""
    used = attempt.assistant_turns.aggregate(used=Sum(F("tokens_in") + F("tokens_out")))["used"]
    return max(0, int(settings.ASSISTANT_TOKENS) - (used or 0))


def reckoned(texts: Iterable[str]) -> int:
    """Tokens of these, about."""
    return sum(1 + len(text) // CHARACTERS_PER_TOKEN for text in texts)


def ask(attempt: Attempt, *, id: UUID, text: str, now: datetime) -> tuple[AssistantTurn, bool]:
    """(the question, whether it is new); the same id again is the same question. Raises NotPossible."""
    with transaction.atomic():
        row = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
        if known := row.assistant_turns.filter(pk=id).first():
            return known, False
        _refuse(row, text, now)
        if AssistantTurn.objects.filter(pk=id).exists():
            raise NotPossible(_("Reload the page and send your question again."))
        turn = AssistantTurn.objects.create(
            id=id,
            attempt=row,
            round=row.round,
            question=text,
            asked_at=now,
            heard_at=now,
            model=settings.ASSISTANT_MODEL[:200],
        )
    return turn, True


def _refuse(attempt: Attempt, text: str, now: datetime) -> None:
    if not attempt.phase(now).accepts:
        raise NotPossible(_("Your time for this exercise is over, so nothing more can be asked."))
    if not is_set_up():
        raise NotPossible(away())
    give_up_silent(attempt, now)
    if attempt.assistant_turns.filter(ended_at=None).exists():
        raise Asking(_("Your last question is still being answered: ask the next one after it."))
    if attempt.assistant_turns.count() >= MOST or left(attempt) < LEAST:
        raise NotPossible(used_up())
    if reckoned([text]) > left(attempt):
        raise NotPossible(_("What is left of the assistant is too little for so long a question."))


def away() -> str:
    return _("The assistant is not there at present. Your work is not concerned: go on without it.")


def used_up() -> str:
    return _(
        "You have used all that there is of the assistant for this exercise. Go on without it."
    )


def stop(turn: AssistantTurn, now: datetime) -> None:
    """End the answer where it is; whoever fetches it notices at the next piece."""
    end(turn.pk, AssistantTurn.Problem.STOPPED, now)


def give_up_silent(attempt: Attempt, now: datetime) -> None:
    """End what a process was fetching that is gone."""
    silent = attempt.assistant_turns.filter(ended_at=None, heard_at__lt=now - SILENT)
    for key in silent.values_list("pk", flat=True):
        end(key, AssistantTurn.Problem.LOST, now)


def end(key: UUID, problem: str, now: datetime) -> bool:
    """End a question whose tokens nobody counted, as reckoned; False where it had ended."""
    with transaction.atomic():
        row = AssistantTurn.objects.select_for_update().filter(pk=key, ended_at=None).first()
        if row is None:
            return False
        row.tokens_in = row.tokens_in or reckoned([row.question])
        row.tokens_out = reckoned([row.answer]) if row.answer else 0
        row.problem, row.ended_at = problem, now
        row.save(update_fields=["tokens_in", "tokens_out", "problem", "ended_at"])
    return True
