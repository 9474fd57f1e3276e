"""The pane's endpoints: what was said, ask, what has come of an answer, stop. None waits for the model."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.not_possible import NotPossible
from assessments.api import AttemptView
from assessments.assistant import answering, asking
from assessments.models import AssistantTurn, Attempt
from assessments.one_question import AskRequest, NotNow


class Busy(APIException):
    """All places are taken; asked again later it may work."""

    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "busy"


class AssistantView(AttemptView):
    """Finds the attempt; Http404 where no assistant is provided in it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not asking.is_offered(self.attempt):
            raise Http404
        asking.give_up_silent(self.attempt, self.now)

    def turn(self, key: UUID) -> AssistantTurn:
        row = self.attempt.assistant_turns.filter(pk=key).first()
        if row is None:
            raise Http404
        return row


class TalkView(AssistantView):
    """GET: all that was said. POST: ask; the same id again is the same question."""

    def get(self, request: Request, pk: UUID) -> Response:
        return Response(talk(self.attempt))

    def post(self, request: Request, pk: UUID) -> Response:
        serializer = AskRequest(request.data, longest=asking.LONGEST)
        serializer.is_valid(raise_exception=True)
        if not answering.has_place():
            raise Busy(
                _("The assistant is busy with others' questions: send yours again in a moment.")
            )
        is_new = False
        try:
            row, is_new = asking.ask(self.attempt, **serializer.validated_data, now=self.now)
        except NotPossible as error:
            raise NotNow(str(error)) from error
        finally:
            if not is_new:
                answering.give_back()
        if is_new:
            answering.begin(row.pk)
        return Response(told(row), status=status.HTTP_201_CREATED)


class TurnView(AssistantView):
    """What has come of one answer; `left`, the attempt's tokens, once it has ended."""

    def get(self, request: Request, pk: UUID, turn: UUID) -> Response:
        row = self.turn(turn)
        return Response(told(row) | ({"left": asking.left(self.attempt)} if row.ended_at else {}))


class StopView(AssistantView):
    """End an answer; what came of it stays. Stopped twice is stopped once."""

    def post(self, request: Request, pk: UUID, turn: UUID) -> Response:
        row = self.turn(turn)
        asking.stop(row, self.now)
        row.refresh_from_db()
        return Response(told(row) | {"left": asking.left(self.attempt)})


def talk(attempt: Attempt) -> dict[str, Any]:
    """{"turns", "left" and "most": tokens, "closed": why nothing can be asked, or ""}."""
    left = asking.left(attempt)
    closed = "" if asking.is_set_up() else asking.away()
    return {
        "turns": [told(row) for row in attempt.assistant_turns.all()],
        "left": left,
        "most": settings.ASSISTANT_TOKENS,
        "closed": closed or (asking.used_up() if left < asking.LEAST else ""),
    }


def told(row: AssistantTurn) -> dict[str, Any]:
    """One question with its answer so far; `ended` null while it comes, `problem` one sentence or ""."""
    return {
        "id": str(row.pk),
        "question": row.question,
        "asked_at": row.asked_at.isoformat(),
        "answer": row.answer,
        "ended_at": row.ended_at.isoformat() if row.ended_at else None,
        "problem": in_words(row),
    }


def in_words(row: AssistantTurn) -> str:
    """Why the answer is not there or not whole, and that it concerns nothing else."""
    problem = AssistantTurn.Problem
    begun = {
        problem.CUT: _("The answer broke off here."),
        problem.LONG: _("The answer was cut here: it was too long."),
        problem.SLOW: _("The rest of the answer took too long."),
        problem.STOPPED: _("You stopped the answer here."),
    }
    said = {
        problem.UNREACHABLE: _("The assistant cannot be reached at present."),
        problem.REFUSED: _("The assistant did not take the question."),
        problem.BUSY: _("The assistant has too much to do at present."),
        problem.RUBBISH: _("What the assistant sent was no answer."),
        problem.SLOW: _("The assistant took too long to answer."),
        problem.CUT: _("The answer broke off before it began."),
        problem.STOPPED: _("You stopped the question."),
        problem.LOST: _("The answer was lost on our side."),
    }
    if not row.problem:
        return ""
    found = (row.answer and begun.get(problem(row.problem))) or said.get(problem(row.problem), "")
    if row.problem == problem.STOPPED:
        return str(found)
    return f"{found} {_('Your work and your clock are not concerned: ask again, or go on without it.')}"
