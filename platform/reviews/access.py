"""The way into every page about an attempt: the row as the viewer may see it, or 404."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from accounts.models import User
from accounts.staff_admin import allow
from assessments.models import Attempt
from hiring import seen_by
from reviews import read_ahead
from reviews.answers import with_answers
from reviews.visibility import attempts_visible_to, may_act_on, shown_name


def attempt_for(request: HttpRequest, pk: UUID, permission: str) -> tuple[User, Attempt]:
    """The viewer and the attempt; PermissionDenied by role, Http404 where they may not know of it."""
    viewer = allow(request, permission)
    attempt = with_answers(attempts_visible_to(viewer), viewer).filter(pk=pk).first()
    if attempt is None:
        raise Http404
    named = bool(attempt.named)  # type: ignore[attr-defined]
    candidate = attempt.invitation.candidate
    seen_by.note(viewer, candidate, page_of(request), now=timezone.now(), named=named)
    return viewer, attempt


def own_attempt_for(request: HttpRequest, pk: UUID, permission: str) -> tuple[User, Attempt]:
    """As `attempt_for`, for what whoever oversees the opening does; who only scores it is refused."""
    viewer, attempt = attempt_for(request, pk, permission)
    if not may_act_on(viewer, attempt, permission):
        raise PermissionDenied
    return viewer, attempt


def page_of(request: HttpRequest) -> str:
    """The name of the address that was asked for, as "attempt" or "decision"."""
    match = request.resolver_match
    return (match.url_name or "") if match else ""


def page_context(request: HttpRequest, attempt: Attempt, title: str) -> dict[str, Any]:
    return {
        **admin.site.each_context(request),
        "attempt": attempt,
        "name": shown_name(attempt),
        "opening": attempt.invitation.opening,
        "title": title,
        "ahead": read_ahead.of(attempt),
    }


def as_json(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Trouble as {"detail"} with its status, where a script and not a person asks."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except PermissionDenied:
            text = "You may not do this, or you are signed out: sign in again in another tab."
            return JsonResponse({"detail": text}, status=403)
        except Http404:
            return JsonResponse({"detail": "There is nothing here."}, status=404)

    return answer
