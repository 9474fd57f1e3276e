"""The candidate's pages: the link, the overview before and between exercises, the workspace, the receipt."""

from __future__ import annotations

import re
from dataclasses import asdict
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.not_possible import NotPossible
from assessments import attempts, kit, pages
from assessments.afterwards.shown import beside_the_receipt
from assessments.ahead.views import lobby as lobby_of
from assessments.clock import Phase
from assessments.ledger import locked
from assessments.link import (
    attempt_for,
    forget,
    invitation_for,
    links_of,
    mark_opened,
    remember,
    speak,
)
from assessments.models import Attempt
from assessments.outages import wake
from assessments.own_work import shown
from assessments.places import in_place
from assessments.prepared.drawing import prepare
from assessments.prepared.progress import READY, progress_of
from assessments.submissions import DUE, needs_settling, settle
from hiring import languages
from hiring.invitations import find
from hiring.messages.zones import learn_zone
from hiring.trials import practice_of


@require_safe
@never_cache
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Let the holder of a link in. Every link that does not work gets the same page."""
    now = timezone.now()
    invitation = find(token)
    if invitation is None or not pages.is_of_use(invitation, now):
        return render(request, "assessments/link_problem.html", status=404)
    mark_opened(invitation, now=now)
    prepare(invitation, now=now, again=True)
    response = redirect("lobby", invitation.pk)
    remember(request, response, invitation)
    return response


@require_safe
@never_cache
@ensure_csrf_cookie
def lobby(request: HttpRequest, pk: UUID) -> HttpResponse:
    now = timezone.now()
    invitation = invitation_for(request, pk)
    if (real := practice_of(invitation)) is not None:
        return redirect("practice", real.pk)
    for attempt in invitation.attempts.past_deadline(now):
        _settled(attempt)
    return render(request, "assessments/lobby.html", lobby_of(invitation, now))


@require_POST
def language(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The candidate's own choice, for this browser and for messages."""
    invitation = invitation_for(request, pk)
    code = request.POST.get("language", "")
    if not languages.is_known(code):
        raise Http404
    invitation.language = code
    invitation.save(update_fields=["language"])
    response = redirect("lobby", pk)
    speak(response, code)
    return response


@require_POST
def start(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Begin the exercise, or its revision, and go to the workspace."""
    now = timezone.now()
    invitation = invitation_for(request, pk)
    learn_zone(invitation.candidate, request.POST.get("zone", ""))
    languages.learn(invitation, get_language() or "")
    number = request.POST.get("exercise", "")
    if not re.fullmatch("[0-9]{1,18}", number):
        raise Http404
    exercise = get_object_or_404(invitation.exercises.all(), pk=int(number))
    begun = invitation.attempts.filter(exercise=exercise).first()
    if begun:
        if begun.phase(now) == Phase.REVISION_OPEN:
            attempts.start_revision(begun.pk, now=now)
        return redirect("workspace", begun.pk)
    if request.POST.get("accept") != "yes":
        context = lobby_of(invitation, now) | {"problem": pages.ACCEPT_FIRST}
        return render(request, "assessments/lobby.html", context, status=400)
    if invitation.state(now) == "open":
        variant = prepare(invitation, now=now)[exercise.pk]
        if progress_of(variant, now) != READY:
            return redirect("lobby", pk)  # which says how far it is: nothing has started
    try:
        attempt = attempts.start(
            invitation=invitation, exercise=exercise, policies=pages.policies(exercise), now=now
        )
    except NotPossible as error:
        context = lobby_of(invitation, now) | {"problem": str(error)}
        return render(request, "assessments/lobby.html", context, status=409)
    return redirect("workspace", attempt.pk)


@require_safe
@never_cache
def preparing(request: HttpRequest, pk: UUID) -> JsonResponse:
    """How far the variants are, for the page that waits for them. Changes nothing."""
    now = timezone.now()
    invitation = invitation_for(request, pk)
    rows = invitation.variants.select_related("pack_version", "exercise")
    return JsonResponse({str(row.exercise_id): asdict(progress_of(row, now)) for row in rows})


@require_POST
def prepare_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Try once more to build what failed on our side."""
    prepare(invitation_for(request, pk), now=timezone.now(), again=True)
    return redirect("lobby", pk)


@require_safe
@never_cache
@ensure_csrf_cookie
def workspace(request: HttpRequest, pk: UUID) -> HttpResponse:
    now = timezone.now()
    attempt = _settled(attempt_for(links_of(request), pk))
    phase = attempt.phase(now)
    # Where it is due the page waits until it is handed in.
    if not phase.accepts and phase not in DUE:
        page = "lobby" if phase == "revision_open" else "receipt"
        return redirect(page, attempt.invitation_id if page == "lobby" else attempt.pk)
    return render(request, "assessments/workspace.html", pages.workspace(attempt, now))


@require_safe
@never_cache
@in_place("file")
def take_home(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The exercise as a zip to work on elsewhere; changes nothing, and no clock."""
    attempt = _settled(attempt_for(links_of(request), pk))
    if not kit.is_offered(attempt):
        raise Http404
    if not attempt.phase(timezone.now()).accepts:
        return redirect("workspace", attempt.pk)
    name, body = kit.archive(attempt)
    response = HttpResponse(body, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@require_safe
@never_cache
@ensure_csrf_cookie
def receipt(request: HttpRequest, pk: UUID) -> HttpResponse:
    attempt = _settled(attempt_for(links_of(request), pk))
    if attempt.awaiting_round == 1:
        return redirect("workspace", attempt.pk)
    if (real := practice_of(attempt.invitation)) is not None:
        return redirect("practice", real.pk)
    now = timezone.now()
    context = pages.receipt(attempt) | beside_the_receipt(attempt, now)
    context |= {"own_work": shown.offer(attempt, now)}
    return render(request, "assessments/receipt.html", context)


def _settled(attempt: Attempt) -> Attempt:
    """Give back and hand in what is due before a page says anything about it."""
    now = timezone.now()
    wake(attempt, now=now)
    if needs_settling(attempt, now):
        with locked(attempt.pk) as row:
            settle(row, now=now)
    attempt.refresh_from_db(fields=["deadline_at", "round", "awaiting_round", "head"])
    return attempt


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def leave(request: HttpRequest) -> HttpResponse:
    """Make this browser forget the invitations it lets in to; what is saved stays."""
    links = (
        []
        if request.method == "POST"
        else [reverse("lobby", args=[pk]) for pk in links_of(request)][-1:]
    )
    context = {"left": request.method == "POST", "links": links}
    response = render(request, "assessments/leave.html", context)
    if request.method == "POST":
        forget(response)
    return response


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The bare address: candidates need their link, staff sign in."""
    return render(request, "home.html", {"organisation": settings.ORGANISATION})
