"""The candidate's page of an exercise that may be read before the clock starts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.not_possible import NotPossible
from assessments import pages
from assessments.ahead import materials, release
from assessments.link import invitation_for
from assessments.materials import rebuilding
from assessments.materials.variants import NotBuilt
from assessments.places import PLACES, Busy, waiting
from assessments.prepared.drawing import prepare
from assessments.prepared.progress import READY, progress_of
from hiring.models import Exercise, Invitation
from hiring.time_allowed import in_words, stretch
from library.packs import pack_of


@require_safe
@never_cache
def show(request: HttpRequest, pk: UUID, exercise: int) -> HttpResponse:
    """Brief and materials; the first time is kept, and fixes the variant that will be worked on."""
    invitation, chosen = _asked(request, pk, exercise)
    now = timezone.now()
    if invitation.state(now) == "over" or invitation.attempts.filter(exercise=chosen).exists():
        return redirect("lobby", pk)
    variant = prepare(invitation, now=now).get(chosen.pk)
    if variant is None or progress_of(variant, now) != READY:
        return redirect(
            "lobby", pk
        )  # which says how far it is, before anything counts as looked at
    try:
        variant = release.look(invitation, chosen, now=now)
        folder = rebuilding.folder(*variant.of)
    except (NotPossible, NotBuilt):
        return redirect("lobby", pk)
    pack = pack_of(chosen.pack_name)
    context = {
        "opening": invitation.opening,
        "invitation": invitation,
        "exercise": chosen,
        "title": pack.title,
        "sections": pack.sections(chosen.level),
        "work_time": in_words(stretch(chosen.limit, invitation.candidate.multiplier())),
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
    rows = invitation.variants.select_related("pack_version", "exercise")
    variant = get_object_or_404(rows, exercise=chosen)
    if (progress := progress_of(variant, now)) != READY:
        later = HttpResponse(progress.words, status=503, content_type="text/plain; charset=utf-8")
        later["Retry-After"] = rebuilding.AGAIN_S
        return later
    try:
        folder = rebuilding.folder(*variant.of)
        if path == "all.zip":
            name = slugify(pack_of(chosen.pack_name).title)
            with PLACES.place("file", pk):
                return _kept(materials.zipped(folder, name), "application/zip", f"{name}.zip")
        body, kind = materials.file(folder, path)
    except Busy as busy:
        return waiting(request, busy)
    except LookupError as error:
        raise Http404 from error
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


def lobby(invitation: Invitation, now: datetime) -> dict[str, Any]:
    """The lobby's context with what can be read ahead of each exercise, and when."""
    context = pages.lobby(invitation, now)
    known, variants = release.releases(invitation), prepare(invitation, now=now)
    for card in context["exercises"]:
        progress = release.state_of(known.get(card["id"]), begun="url" in card, now=now)
        card["ahead"] = progress
        if card["id"] in variants and (card["state"] == "ready" or progress.state == "open"):
            card["preparing"] = progress_of(variants[card["id"]], now)
    far = [card["preparing"].state for card in context["exercises"] if "preparing" in card]
    context["is_preparing"] = any(state != "ready" for state in far)
    context["records_ahead"] = bool(known)
    context["invitation"] = invitation
    return context
