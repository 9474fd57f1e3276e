"""The candidate's page of a live interview: a question and a pad, while the interviewer has it open."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from accounts.not_possible import NotPossible
from assessments.link import invitation_for
from assessments.models import PadSave
from assessments.sitting import pads, sittings

CLOSED = "Your interviewer has closed this page. What you wrote before is saved."


@require_safe
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Always there for whoever has the link; it shows something only while it is open."""
    invitation, now = invitation_for(request, pk), timezone.now()
    context: dict[str, Any] = {
        "opening": invitation.opening,
        "invitation": invitation,
        "sitting": sittings.present(invitation, now),
        "longest": pads.LONGEST_PAD,
    }
    return render(request, "assessments/sitting.html", context)


@require_safe
@never_cache
def state(request: HttpRequest, pk: UUID) -> JsonResponse:
    """{"open": false}, or the question with the pad's number and text. Nothing else is read here."""
    invitation, now = invitation_for(request, pk), timezone.now()
    sitting = sittings.present(invitation, now)
    showing = sittings.shown(sitting, now) if sitting else None
    if sitting is None or showing is None:
        return JsonResponse({"open": False})
    kept = pads.pad_of(sitting, PadSave.Pad.SHARED)
    told = {"open": True, "talk": str(sitting.pk), "question": showing.text}
    return JsonResponse(told | kept._asdict())


@never_cache
@require_POST
def pad(request: HttpRequest, pk: UUID) -> JsonResponse:
    """Save what the candidate typed -> {"number", "text"}; 409 while the page is closed."""
    invitation, now = invitation_for(request, pk), timezone.now()
    sitting = sittings.present(invitation, now)
    if sitting is None or sittings.shown(sitting, now) is None:
        return JsonResponse({"detail": gettext(CLOSED)}, status=409)
    try:
        sent = pads.read_sent(json.loads(request.body))
        kept = pads.save(sitting, PadSave.Pad.SHARED, sent, by=None, now=now)
    except NotPossible as error:
        return JsonResponse({"detail": gettext(str(error))}, status=409)
    except pads.BadSend as error:
        return JsonResponse({"detail": gettext(str(error))}, status=400)
    except (ValueError, RecursionError):
        return JsonResponse({"detail": gettext("That could not be read: send JSON.")}, status=400)
    return JsonResponse(kept._asdict())
