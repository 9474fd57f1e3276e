"""The small address behind the pins: each is kept as it is typed; without script a form sends it."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import is_text
from assessments.models import Attempt
from reviews.access import as_json, attempt_for
from reviews.models import Pin
from reviews.scoring import pins
from reviews.scoring.pages.scoring import with_pin
from reviews.visibility import is_evaluator

HIGHEST_NUMBER = 2_000_000_000
"""Lines and seconds; below what every database keeps in an integer."""
LONGEST_NAME = 350
"""Characters, as the column of a part holds."""


class BadPin(ValueError):
    """What was sent is not a pin; the text is one sentence."""


@never_cache
@require_POST
@as_json
def save(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    """{"id", "kind", "source", "part", "first", "last", "text"} -> {"id", "saved_at", "place", "quote"}.

    {"id", "withdrawn": true} takes a pin back. A form of the same names is answered by the page.
    """
    viewer, attempt = attempt_for(request, pk, "reviews.add_evaluation")
    if not is_evaluator(viewer, attempt):
        raise Http404
    is_form = request.content_type != "application/json"
    problem, status, pin = "", 400, None
    try:
        data = request.POST.dict() if is_form else _object(request.body)
        pin = _keep(data, attempt, round, viewer)
    except BadPin as error:
        problem = str(error)
    except NotPossible as error:
        problem, status = str(error), 409
    if is_form and problem:
        return with_pin(request, attempt, viewer, round, problem, status)
    if is_form:
        messages.success(request, "Kept.")
        return HttpResponseRedirect(reverse("admin:score", args=[attempt.pk, round]) + "#pins")
    if problem:
        return JsonResponse({"detail": problem}, status=status)
    told = {"id": str(pin.pk), "place": pin.place, "quote": pin.quote} if pin else {}
    return JsonResponse(told | {"saved_at": timezone.now().isoformat()})


def _keep(data: dict[str, Any], attempt: Attempt, round: int, viewer: User) -> Pin | None:
    now = timezone.now()
    key = _key(data.get("id"))
    if data.get("withdrawn") in (True, "yes"):
        pins.withdraw(key=key, author=viewer, now=now)
        return None
    spot, text = _spot(data), data.get("text", "")
    if isinstance(text, str):
        text = text.replace("\r\n", "\n")  # typed as one character, sent by forms as two
    if not isinstance(text, str) or len(text) > pins.LONGEST or not is_text(text):
        raise BadPin(f"A pin is text of at most {pins.LONGEST:,} characters.")
    return pins.keep(
        key=key,
        attempt=attempt,
        round=round,
        author=viewer,
        spot=spot,
        text=text,
        now=now,
    )


def _object(body: bytes) -> dict[str, Any]:
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadPin("That could not be read: send JSON.") from error
    if not isinstance(data, dict):
        raise BadPin("Send an object with id, kind, source, part, first, last and text.")
    return data


def _key(value: Any) -> UUID:
    try:
        return UUID(str(value))
    except ValueError as error:
        raise BadPin("A pin has a key of its own, a UUID that the page chooses.") from error


def _spot(data: dict[str, Any]) -> pins.Spot:
    """The place; a form names kind, source and part in one value, "kind|source|part"."""
    if "where" in data:
        named = [*str(data["where"]).split("|", 2), "", ""]
        data = {**data, **dict(zip(("kind", "source", "part"), named, strict=False))}
    names = [data.get(name, "") for name in ("kind", "source", "part")]
    if not all(
        isinstance(name, str) and len(name) <= LONGEST_NAME and is_text(name) for name in names
    ):
        raise BadPin("kind, source and part are short texts.")
    first = _whole(data.get("first"))
    last = _whole(data.get("last") or first)
    return pins.Spot(names[0], names[1], names[2], first, last)


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 11:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST_NUMBER:
        raise BadPin("Say with whole numbers where the place begins and ends.")
    return value
