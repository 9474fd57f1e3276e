"""What the interview page asks while a talk is held: shared notes, the pad, what the candidate is shown."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from assessments.models import PadSave, Sitting
from assessments.sitting import pads, sittings
from reviews.access import as_json
from reviews.models import InterviewSession

Pad = PadSave.Pad
NO_TALK = "This interview was planned without shared pages: plan it anew to have them."
IN = "Your record is in, so you write no more in this talk."


def _own_talk(request: HttpRequest, pk: UUID, *, writes: bool = True) -> tuple[User, Sitting]:
    """The viewer and the talk of their own session that they have begun; Http404, NotPossible."""
    viewer = allow(request, "reviews.change_interviewsession")
    rows = InterviewSession.objects.select_related("sitting__invitation__candidate")
    session = rows.filter(pk=pk, interviewer=viewer).first()
    if session is None:
        raise Http404
    if session.sitting is None:
        raise NotPossible(NO_TALK)
    if session.started_at is None:
        raise NotPossible("You have not begun this interview yet.")
    if writes and session.submitted_at:
        raise NotPossible(IN)
    return viewer, session.sitting


@never_cache
@require_safe
@as_json
def state(request: HttpRequest, pk: UUID) -> JsonResponse:
    """{"notes": {number, text}, "pad": {number, text}, "shown": the question that is open or ""}."""
    try:
        _, sitting = _own_talk(request, pk, writes=False)
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    showing = sittings.shown(sitting, timezone.now())
    return JsonResponse(
        {
            "notes": pads.pad_of(sitting, Pad.NOTES)._asdict(),
            "pad": pads.pad_of(sitting, Pad.SHARED)._asdict(),
            "shown": showing.text if showing else "",
        }
    )


@never_cache
@require_POST
@as_json
def notes(request: HttpRequest, pk: UUID) -> JsonResponse:
    """The notes that all who hold the talk write: {"number", "text"} after merging what was sent."""
    return _save(request, pk, Pad.NOTES)


@never_cache
@require_POST
@as_json
def pad(request: HttpRequest, pk: UUID) -> JsonResponse:
    """The pad that the candidate sees while their page is open."""
    return _save(request, pk, Pad.SHARED)


def _save(request: HttpRequest, pk: UUID, which: Pad) -> JsonResponse:
    try:
        viewer, sitting = _own_talk(request, pk)
        sent = pads.read_sent(_read(request.body))
        kept = pads.save(sitting, which, sent, by=viewer, now=timezone.now())
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    except pads.BadSend as error:
        return JsonResponse({"detail": str(error)}, status=400)
    return JsonResponse(kept._asdict())


@never_cache
@require_POST
@as_json
def show(request: HttpRequest, pk: UUID) -> JsonResponse:
    """Open the candidate's page with {"asked": number of a question}, or close it with {"close": true}."""
    now = timezone.now()
    try:
        viewer, sitting = _own_talk(request, pk)
        data = _read(request.body)
        if isinstance(data, dict) and data.get("close") is True:
            sittings.close(sitting, by=viewer, now=now)
            return JsonResponse({"shown": ""})
        showing = sittings.show(sitting, _text_of(pk, data), by=viewer, now=now)
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    except pads.BadSend as error:
        return JsonResponse({"detail": str(error)}, status=400)
    return JsonResponse({"shown": showing.text})


def _text_of(pk: UUID, data: Any) -> str:
    """The question's words, from the session's own record; nothing a browser sends is shown."""
    asked = data.get("asked") if isinstance(data, dict) else None
    if not isinstance(asked, int) or isinstance(asked, bool) or not 0 < asked < 2**63:
        raise pads.BadSend("Say which question is shown, or close the page.")
    row = InterviewSession.objects.get(pk=pk).asked.filter(pk=asked).first()
    if row is None:
        raise pads.BadSend("This interview has no such question.")
    return str(row.snapshot["text"])


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:  # the latter from deep nesting
        raise pads.BadSend("That could not be read: send JSON.") from error
