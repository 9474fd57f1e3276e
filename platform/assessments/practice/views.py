"""The practice room's pages: what can be tried, a check of the reader's system, the beginning of a try."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.link import invitation_for
from assessments.practice import rooms
from assessments.prepared.progress import READY, progress_of
from hiring.models import Exercise, Invitation
from hiring.trials import practice_of
from library.packs import pack_of


@require_safe
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The room of an invitation. Of a try's own address it is the one of the invitation it is for."""
    invitation = invitation_for(request, pk)
    if (real := practice_of(invitation)) is not None:
        return redirect("practice", real.pk)
    return render(request, "assessments/practice.html", _context(invitation, timezone.now()))


@require_POST
def begin(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Make a try, and go to its workspace where its materials are there."""
    invitation, now = invitation_for(request, pk), timezone.now()
    number = request.POST.get("exercise", "")
    if practice_of(invitation) or not re.fullmatch("[0-9]{1,18}", number):
        raise Http404
    exercise = get_object_or_404(invitation.exercises.all(), pk=int(number))
    try:
        made = rooms.begin(invitation, exercise, now=now)
    except NotPossible as error:
        context = _context(invitation, now) | {"problem": str(error)}
        return render(request, "assessments/practice.html", context, status=409)
    miniature = made.exercises.get()
    variant = made.variants.select_related("pack_version", "exercise").get()
    if progress_of(variant, now) != READY:
        return redirect("practice", pk)  # which says how far it is
    attempt = attempts.start(invitation=made, exercise=miniature, policies={}, now=now)
    return redirect("workspace", attempt.pk)


@require_safe
@never_cache
def moment(request: HttpRequest, pk: UUID) -> JsonResponse:
    """{"now"}: the server's time in ms, for the check of connection and clock."""
    invitation_for(request, pk)
    return JsonResponse({"now": round(timezone.now().timestamp() * 1000)})


def _context(invitation: Invitation, now: datetime) -> dict[str, Any]:
    made = rooms.present(invitation)
    is_open = invitation.state(now) in ("open", "scheduled")
    found = rooms.to_practise(invitation) if is_open else []
    begun = _begun(made, now) if made else None
    return {
        "invitation": invitation,
        "opening": invitation.opening,
        "cards": [_card(exercise) for exercise in found],
        "begun": begun,
        "is_preparing": bool(begun and begun.get("preparing")),
        "has_terminal": any(exercise.has_terminal for exercise in found),
    }


def _card(exercise: Exercise) -> dict[str, Any]:
    pack = pack_of(exercise.traits.practice)
    return {
        "id": exercise.pk,
        "kind_label": exercise.get_kind_display(),
        "title": pack.title.partition(": ")[2].capitalize(),
        "summary": pack.summary,
        "is_measured": exercise.is_measured,
    }


def _begun(made: Invitation, now: datetime) -> dict[str, Any] | None:
    """The try that is there: where it is, or how far its materials are."""
    exercise, attempt = made.exercises.get(), rooms.attempt_of(made)
    about: dict[str, Any] = {
        "id": exercise.pk,
        "title": pack_of(exercise.pack_name).title,
        "practice": made,
    }
    if attempt is not None:
        return about | {"attempt": attempt.pk} if attempt.phase(now).accepts else None
    variant = made.variants.select_related("pack_version", "exercise").first()
    return about | {"preparing": progress_of(variant, now)} if variant else None
