"""The small JSON address behind the scorecard: every change of a level or note is kept at once."""

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
from reviews.access import as_json, attempt_for
from reviews.models import Evaluation
from reviews.scoring import evaluations

LONGEST_NOTE = 5000


class BadRating(ValueError):
    """What was sent is not a rating; the text is one sentence."""


@never_cache
@require_POST
@as_json
def save(request: HttpRequest, pk: UUID, round: int) -> JsonResponse:
    """{"criterion", "level": 1 to 5 or null, "note"} -> {"saved_at", "rated", "of", "missing"}."""
    viewer, attempt = attempt_for(request, pk, "reviews.add_evaluation")
    own = Evaluation.objects.current().of(attempt, round).filter(evaluator=viewer)
    card = own.select_related("submission").first()
    if card is None:
        raise Http404
    now = timezone.now()
    try:
        evaluations.check_shown(card, request.GET.get("card", ""))
        criterion, level, note = _read(request.body)
        evaluations.rate(card, criterion=criterion, level=level, note=note, now=now)
    except BadRating as error:
        return JsonResponse({"detail": str(error)}, status=400)
    except NotPossible as error:
        return JsonResponse({"detail": str(error)}, status=409)
    missing = evaluations.missing(card)
    total = len(card.criteria())
    return JsonResponse(
        {
            "saved_at": now.isoformat(),
            "rated": total - len(missing),
            "of": total,
            "missing": missing,
        }
    )


def _read(body: bytes) -> tuple[str, int | None, str]:
    try:
        data: Any = json.loads(body)
    except (ValueError, RecursionError) as error:  # the latter from deep nesting
        raise BadRating("That could not be read: send JSON.") from error
    if not isinstance(data, dict) or not isinstance(data.get("criterion"), str):
        raise BadRating("Send an object with criterion, level and note.")
    level, note = data.get("level"), data.get("note", "")
    if level is not None and (not isinstance(level, int) or isinstance(level, bool)):
        raise BadRating("A level is a whole number or null.")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE or not is_text(note):
        raise BadRating(f"A note is text of at most {LONGEST_NOTE:,} characters.")
    return data["criterion"], level, note
