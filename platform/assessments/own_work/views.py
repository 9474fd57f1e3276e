"""The candidate's page of questions about their own answer, and one example to try beforehand."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.not_possible import NotPossible
from assessments.arrival import arrived_at
from assessments.link import attempt_for, invitation_for, links_of
from assessments.models import Attempt
from assessments.outages import wake
from assessments.own_work import example, rounds, shown
from assessments.own_work.rounds import BadSend, Sent

_FIELD = re.compile(r"(?P<name>given|why)-(?P<number>[0-9]{1,2})")
UNREAD = "That could not be read: send JSON."


def _attempt(request: HttpRequest, pk: UUID) -> Attempt:
    """The attempt, with what the site was away given back before anything is said of a clock."""
    attempt = attempt_for(links_of(request), pk)
    wake(attempt, now=timezone.now())
    return attempt


@require_safe
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest, pk: UUID) -> HttpResponse:
    attempt = _attempt(request, pk)
    row = rounds.round_of(attempt)
    if row is None:
        raise Http404
    context = shown.page(attempt, row, timezone.now())
    return render(request, "assessments/own_work/page.html", context)


@require_safe
@never_cache
def state(request: HttpRequest, pk: UUID) -> JsonResponse:
    """{"stage", "left_s"}; nothing else is read here."""
    row = rounds.round_of(_attempt(request, pk))
    if row is None:
        raise Http404
    return JsonResponse(shown.state(row, timezone.now()))


@require_POST
def begin(request: HttpRequest, pk: UUID) -> HttpResponse:
    attempt, now = _attempt(request, pk), timezone.now()
    try:
        rounds.begin(attempt, now=now)
    except NotPossible as error:
        return _refused(request, attempt, str(error))
    return redirect("own-work", pk)


@require_POST
@never_cache
def save(request: HttpRequest, pk: UUID) -> JsonResponse:
    """Keep what the page sends -> {"saved": seq, "late", "stage", "left_s"}."""
    attempt, now = _attempt(request, pk), timezone.now()
    try:
        sent = rounds.read_sent(json.loads(request.body))
        kept = rounds.save(attempt, sent, now=arrived_at(request, now))
    except NotPossible as error:
        return JsonResponse({"detail": gettext(str(error))}, status=409)
    except BadSend as error:
        return JsonResponse({"detail": gettext(str(error))}, status=400)
    except (ValueError, RecursionError):
        return JsonResponse({"detail": gettext(UNREAD)}, status=400)
    return JsonResponse({"saved": sent.seq, "late": kept.late, **shown.state(kept.round, now)})


@require_POST
def hand_in(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The page's own form, so that it works without scripts as well."""
    attempt, now = _attempt(request, pk), timezone.now()
    try:
        entries = rounds.entries_in(_entries(request.POST))
        sent = Sent(uuid4(), 1, entries) if entries else None
        rounds.hand_in(attempt, sent, now=arrived_at(request, now))
    except (NotPossible, BadSend) as error:
        return _refused(request, attempt, str(error))
    return redirect("own-work", pk)


def _entries(data: Any) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for field, text in data.items():
        if match := _FIELD.fullmatch(field):
            entry = found.setdefault(match["number"], {})
            entry[match["name"]] = text.replace("\r\n", "\n")
    return found


def _refused(request: HttpRequest, attempt: Attempt, problem: str) -> HttpResponse:
    row = rounds.round_of(attempt)
    if row is None:
        raise Http404
    context = shown.page(attempt, row, timezone.now()) | {"problem": problem}
    return render(request, "assessments/own_work/page.html", context, status=409)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@ensure_csrf_cookie
def try_one(request: HttpRequest, pk: UUID) -> HttpResponse:
    """An example about an answer of ours, with what is right once something was chosen. Records nothing."""
    invitation = invitation_for(request, pk)
    given = request.POST.get("given-1", "")[:2]
    context = {
        "opening": invitation.opening,
        "invitation": invitation,
        "notice": next(filter(None, map(rounds.notice, invitation.exercises.all())), ""),
        "question": example.QUESTION.asked() | {"number": 1, "given": given},
        "verdict": example.said(given),
        "answer": example.ANSWER,
        "longest_why": rounds.LONGEST_WHY,
    }
    return render(request, "assessments/own_work/example.html", context)
