"""The candidate's page of an exercise that may be read before the clock starts."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assessments import attempts, pages
from assessments.ahead import materials, release
from assessments.ahead.models import AdvanceRelease
from assessments.company import text_of
from assessments.ledger import NotPossible
from assessments.link import invitation_for
from assessments.places import PLACES, Busy, waiting
from assessments.room.variants import NotBuilt, folder_of
from hiring.models import Exercise, Invitation
from library.packs import pack_of

logger = logging.getLogger(__name__)


@require_safe
@never_cache
def show(request: HttpRequest, pk: UUID, exercise: int) -> HttpResponse:
    """Brief and materials; the first time is kept, and fixes the variant that will be worked on."""
    invitation, chosen = _asked(request, pk, exercise)
    now = timezone.now()
    if invitation.state(now) == "over" or invitation.attempts.filter(exercise=chosen).exists():
        return redirect("lobby", pk)
    try:
        folder = _looked_at(invitation, chosen)
    except NotPossible:
        return redirect("lobby", pk)
    except NotBuilt as error:
        logger.error("%s", error)
        context = lobby(invitation, now) | {"problem": pages.NOT_PREPARED}
        return render(request, "assessments/lobby.html", context, status=503)
    pack = pack_of(chosen.pack_name)
    context = {
        "opening": invitation.opening,
        "invitation": invitation,
        "exercise": chosen,
        "title": pack.title,
        "sections": pack.sections(chosen.level),
        "minutes": round(chosen.limit_minutes * float(invitation.candidate.multiplier())),
        "sheet": materials.sheet(folder),
    }
    return render(request, "assessments/ahead.html", context)


@require_safe
@never_cache
def file(request: HttpRequest, pk: UUID, exercise: int, path: str) -> HttpResponse:
    """One material, once the page was opened; all of them as a ZIP file under the name of "all.zip"."""
    invitation, chosen = _asked(request, pk, exercise)
    now = timezone.now()
    row = release.releases(invitation).get(chosen.pk)
    if row is None or row.first_opened_at is None or row.opens_at > now:
        raise Http404
    if invitation.state(now) == "over" or invitation.attempts.filter(exercise=chosen).exists():
        raise Http404
    try:
        folder = _folder(row)
        if path == "all.zip":
            name = slugify(pack_of(chosen.pack_name).title)
            with PLACES.place("file", pk):
                return _kept(materials.zipped(folder, name), "application/zip", f"{name}.zip")
        body, kind = materials.file(folder, path)
    except Busy as busy:
        return waiting(request, busy)
    except LookupError as error:
        raise Http404 from error
    except NotBuilt as error:
        logger.error("%s", error)
        return HttpResponse(pages.NOT_PREPARED, status=503, content_type="text/plain")
    return _kept(body, kind, "" if kind.startswith(("image/", "text/plain")) else Path(path).name)


def _kept(body: bytes, kind: str, name: str) -> HttpResponse:
    """An answer to look at, or to keep under a name."""
    response = HttpResponse(body, content_type=kind)
    response["X-Content-Type-Options"] = "nosniff"
    if name:
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _asked(request: HttpRequest, pk: UUID, exercise: int) -> tuple[Invitation, Exercise]:
    invitation = invitation_for(request, pk)
    chosen = invitation.exercises.filter(pk=exercise).first() if exercise < 2**63 else None
    if chosen is None:
        raise Http404
    return invitation, chosen


def _looked_at(invitation: Invitation, chosen: Exercise) -> Path:
    """The folder of what may be read now: built first, so that a look that failed is not kept as one."""
    now = timezone.now()
    row = release.releases(invitation).get(chosen.pk)
    if row is None or row.opens_at > now:
        raise NotPossible("This exercise cannot be read yet.")
    if row.first_opened_at is None:
        seed = attempts.draw_seed()
        company = text_of(invitation.opening)
        folder_of(chosen.pack_name, chosen.level, seed, company=company)
        row = release.look(invitation, chosen, seed=seed, now=now)
    return _folder(row)


def _folder(row: AdvanceRelease) -> Path:
    if row.seed is None or row.pack_version is None:
        raise Http404
    return folder_of(
        row.pack_version.name, row.exercise.level, row.seed, row.pack_version.digest, row.company
    )


def lobby(invitation: Invitation, now: datetime) -> dict[str, Any]:
    """The lobby's context with what can be read ahead of each exercise, and when."""
    context = pages.lobby(invitation, now)
    known = release.releases(invitation)
    for card in context["exercises"]:
        stand = release.standing(known.get(card["id"]), begun="url" in card, now=now)
        card["ahead"] = stand
    exercises = list(invitation.exercises.all())
    context["has_runs"] = any(exercise.is_run for exercise in exercises)
    context["has_what_ifs"] = any(exercise.workplace == "plan" for exercise in exercises)
    context["records_ahead"] = bool(known)
    context["invitation"] = invitation
    return context
