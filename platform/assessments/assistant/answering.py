"""Fetch an answer beside the web server's threads, and write it down as it comes.

Requests only read rows: a slow model holds no thread that a save might wait for. At most AT_ONCE answers are
fetched in one web process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from threading import BoundedSemaphore, Thread
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connections
from django.utils import timezone

from assessments.assistant import asking
from assessments.assistant.endpoint import NoAnswer, pieces
from assessments.assistant.ticking import ticking
from assessments.models import AssistantTurn

logger = logging.getLogger(__name__)
AT_ONCE = 16
WRITTEN_EVERY_S, BEAT_S = 0.4, 5.0
"""Between two writes: of an answer that grows, and of the word that somebody still waits for one."""
LONGEST_ANSWER = 60_000
"""Characters of one answer that are taken."""
LONGEST_BEFORE = 80_000
"""Characters of earlier questions and answers that go along with a question: the newest."""
INSTRUCTIONS = (
    "You help somebody who works at a task of cluster engineering and may ask you as they would at work. "
    "You see only what they write to you. Say so where something is missing that you would need. Be brief."
)
Clock = Callable[[], datetime]
_places = BoundedSemaphore(AT_ONCE)


def has_place() -> bool:
    """Take one of the places, for `begin` to use; False: all are taken."""
    return _places.acquire(blocking=False)


def give_back() -> None:
    """Give a place back that was not used."""
    _places.release()


def begin(key: UUID) -> None:
    """Fetch the answer in a thread of its own, in the place that was taken. It ends with the process."""
    Thread(target=_in_place, args=(key,), name=f"assistant-{key}", daemon=True).start()


def _in_place(key: UUID) -> None:
    try:
        fetch(key, timezone.now)
    except DatabaseError as error:
        logger.warning("An answer of the assistant could not be written down: %s", error)
    except Exception:
        logger.exception("The assistant's answer failed on our side")
        asking.end(key, AssistantTurn.Problem.LOST, timezone.now())
    finally:
        connections.close_all()
        _places.release()


def messages(turn: AssistantTurn) -> list[dict[str, Any]]:
    """What goes to the model: our words, what was said before in this attempt, the question."""
    room = min(LONGEST_BEFORE, asking.CHARACTERS_PER_TOKEN * asking.left(turn.attempt) // 2)
    before: list[dict[str, Any]] = []
    earlier = turn.attempt.assistant_turns.exclude(pk=turn.pk).exclude(answer="")
    for row in earlier.order_by("-asked_at", "-pk"):
        room -= len(row.question) + len(row.answer)
        if room < 0:
            break
        before = [_said("user", row.question), _said("assistant", row.answer), *before]
    return [_said("system", INSTRUCTIONS), *before, _said("user", turn.question)]


def _said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def fetch(key: UUID, clock: Clock) -> None:
    """Ask, write down what comes, end the turn. Whatever the endpoint does is an end, and none raises."""
    turn = AssistantTurn.objects.select_related("attempt").get(pk=key)
    asked = messages(turn)
    most = asking.CHARACTERS_PER_TOKEN * asking.left(turn.attempt)
    turn.tokens_in = asking.reckoned(one["content"] for one in asked)
    try:
        problem = _take(turn, asked, min(most, LONGEST_ANSWER), clock)
    except NoAnswer as error:
        problem = error.why
        logger.warning("The assistant at %s: %s", settings.ASSISTANT_URL, error)
    if turn.answer and problem in ("rubbish", "unreachable", "refused"):
        problem = AssistantTurn.Problem.CUT
    _end(turn, problem, clock())


def _take(turn: AssistantTurn, asked: list[dict[str, Any]], most: int, clock: Clock) -> str:
    """The problem that it ended with, "" for none; raises NoAnswer."""
    written, known = -BEAT_S, ""
    with closing(ticking(pieces(asked), WRITTEN_EVERY_S)) as coming:
        for piece in coming:
            if piece is not None:
                turn.answer += piece.text.replace("\x00", "")
            if piece is not None and piece.used is not None:
                (turn.tokens_in, turn.tokens_out), turn.is_counted = piece.used, True
            if len(turn.answer) > most:
                turn.answer = turn.answer[:most]
                return AssistantTurn.Problem.LONG
            silent = time.monotonic() - written
            if silent >= (BEAT_S if turn.answer == known else WRITTEN_EVERY_S):
                written, known = time.monotonic(), turn.answer
                if not _write(turn, clock()):
                    return AssistantTurn.Problem.STOPPED
    return AssistantTurn.Problem.NONE if turn.answer.strip() else AssistantTurn.Problem.RUBBISH


def _write(turn: AssistantTurn, now: datetime) -> bool:
    """False where somebody ended it meanwhile."""
    waiting = AssistantTurn.objects.filter(pk=turn.pk, ended_at=None)
    return bool(waiting.update(answer=turn.answer, heard_at=now, tokens_in=turn.tokens_in))


def _end(turn: AssistantTurn, problem: str, now: datetime) -> None:
    if not turn.is_counted:
        turn.tokens_out = asking.reckoned([turn.answer]) if turn.answer else 0
        if not turn.answer:
            turn.tokens_in = 0  # nothing came of it
    AssistantTurn.objects.filter(pk=turn.pk, ended_at=None).update(
        answer=turn.answer,
        heard_at=now,
        ended_at=now,
        problem=problem,
        tokens_in=min(turn.tokens_in, 2**31 - 1),
        tokens_out=min(turn.tokens_out, 2**31 - 1),
        is_counted=turn.is_counted,
    )
