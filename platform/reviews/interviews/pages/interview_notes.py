"""The small JSON address behind the interview page, and the same state read from its form."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.not_possible import NotPossible
from accounts.prose import is_text
from accounts.staff_admin import allow
from reviews.access import as_json
from reviews.interviews import interviews
from reviews.interviews.interviews import Written
from reviews.models import AskedQuestion

LONGEST_NOTE = 5000
LISTS = ("points", "hints", "follow_ups")


class BadNote(ValueError):
    """What was sent is not a question's state; the text is one sentence."""


@never_cache
@require_POST
@as_json
def save(request: HttpRequest, pk: UUID, asked: int) -> JsonResponse:
    """The whole state of one question -> {"saved_at", "scored", "of"}; only for its interviewer."""
    viewer = allow(request, "reviews.change_interviewsession")
    rows = AskedQuestion.objects.filter(session=pk, session__interviewer=viewer)
    row = rows.select_related("session").filter(pk=asked).first()
    if row is None:
        raise Http404
    now = timezone.now()
    try:
        interviews.write(row, _read(request.body), now=now)
    except BadNote as error:
        return JsonResponse({"detail": str(error)}, status=400)
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    states = list(rows.values_list("score", "skipped"))
    done = sum(1 for score, skipped in states if score or skipped)
    return JsonResponse({"saved_at": now.isoformat(), "scored": done, "of": len(states)})


def _read(body: bytes) -> Written:
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError) as error:  # the latter from deep nesting
        raise BadNote("That could not be read: send JSON.") from error
    if not isinstance(data, dict):
        raise BadNote("Send an object with the state of the question.")
    lists = {name: data.get(name, []) for name in LISTS}
    if not all(isinstance(each, list) and all(map(_is_whole, each)) for each in lists.values()):
        raise BadNote("points, hints and follow_ups are lists of whole numbers.")
    score, seconds, note = data.get("score"), data.get("seconds", 0), data.get("note", "")
    if not _is_whole(seconds) or (score is not None and not _is_whole(score)):
        raise BadNote("score and seconds are whole numbers.")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE or not is_text(note):
        raise BadNote(f"A note is text of at most {LONGEST_NOTE:,} characters.")
    flags = {name: data.get(name, False) for name in ("skipped", "asked")}
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise BadNote("skipped and asked are true or false.")
    return Written(**lists, score=score, seconds=seconds, note=note, **flags)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def from_form(data: Any, asked: AskedQuestion) -> Written | None:
    """The state of one question from the page's own form, which needs no script.

    None where the form says nothing of the question, so that what is kept of it stays.
    """
    at = asked.pk
    if f"seconds-{at}" not in data:
        return None

    def numbers(name: str) -> list[int]:
        texts = data.getlist(f"{name}-{at}")
        return [
            int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < 4
        ]

    seconds, score = data.get(f"seconds-{at}", ""), data.get(f"score-{at}", "")
    known = seconds.isascii() and seconds.isdecimal() and len(seconds) < 6
    return Written(
        **{name: numbers(name) for name in LISTS},
        note=typed(data, f"note-{at}"),
        score=int(score) if score in {"1", "2", "3", "4", "5"} else None,
        skipped=data.get(f"skipped-{at}") == "yes",
        asked=asked.asked_at is not None,
        seconds=min(int(seconds), interviews.LONGEST_SECONDS) if known else asked.seconds,
    )


def typed(data: Any, name: str) -> str:
    """A text of a form, cut to what the page lets one type: there a new line is one character."""
    text: str = data.get(name, "")
    return text.replace("\x00", "").replace("\r\n", "\n")[:LONGEST_NOTE]
