"""The candidate's room as staff see it: the same materials, nothing to write but remarks at lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.staff_admin import allow
from assessments import company
from assessments import material_urls as candidates
from assessments.kinds import workplace_of
from assessments.models import Attempt
from assessments.pages import sheets_of
from assessments.workplace.access import BeingPrepared, NotThere, RoomView
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.models import Assignment
from reviews.scoring.pages.pinned import pins_context
from reviews.visibility import attempts_visible_to

SHEETS = (
    *(f"assessments/workspace/{name}.css" for name in ("workspace", "tabs", "panels", "results")),
    "headnode/replay_log.css",
    "headnode/replay.css",
    *(f"assessments/workplace/{name}.css" for name in ("room", "files", "popover")),
    "assessments/troubleshooting/logs.css",
)
"""Of the candidate's page, without those of terminal and board."""
AT_WORK = "The materials are being prepared on this server. They are here in a minute or two."
NOT_BUILT = "The materials could not be prepared on this server. Try again in a moment."
MAY = "assessments.view_submission"
NAME = "attempt-room-"


@require_safe
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The room of an attempt; its parts fetch what they show from the addresses below."""
    viewer, attempt = attempt_for(request, pk, MAY)
    if not attempt.exercise.has_room:
        raise Http404
    handed_in = [number for number in (2, 1) if submission_of(attempt, number)]
    scores_it = Assignment.objects.filter(attempt=attempt, evaluator=viewer).exists()
    round = handed_in[0] if handed_in and scores_it else None
    context = page_context(request, attempt, "Materials")
    context |= pins_context(attempt, viewer, round)
    base = reverse(f"admin:{NAME}manifest", args=[attempt.pk]).removesuffix("manifest")
    context |= {
        "round": round,
        "has_answer": bool(handed_in),
        "has_charts": attempt.exercise.has_terminal,
        "currency": company.of_attempt(attempt).currency,
        "room_sheets": [*SHEETS, *sheets_of(attempt.exercise)],
        "room_data": {
            "base": base,
            "attempt": str(attempt.pk),
            "workplace": workplace_of(attempt.exercise).name,
        },
    }
    return render(request, "reviews/materials.html", context)


def _staffs(view: type[RoomView]) -> Callable[..., HttpResponse]:
    """The candidate's view of the room for staff: the same answers, another way in, no clock.

    Only reading: a view that takes a question by POST is asked with the token of a form.
    """

    class Staffs(view):  # type: ignore[misc,valid-type]
        authentication_classes = ()
        permission_classes = ()

        def admit(self, request: Request, *args: Any, **kwargs: Any) -> None:
            # before the framework looks for a candidate and forgets who is signed in
            self.attempt = _attempt(request._request, kwargs["pk"])
            self.asker = request._request.user.pk
            self.now = timezone.now()
            APIView.initial(self, request, *args, **kwargs)

        def handle_exception(self, exc: Exception) -> Any:
            """What is not here is said to a candidate with a word on their clock, which is not staff's."""
            if isinstance(exc, NotThere):
                said = AT_WORK if isinstance(exc, BeingPrepared) else NOT_BUILT
                exc.detail = ErrorDetail(said, exc.default_code)
            return super().handle_exception(exc)

    asked = Staffs.as_view()

    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        answered: HttpResponse = asked(request, *args, **kwargs)
        return answered

    return answer


def _attempt(request: HttpRequest, pk: UUID) -> Attempt:
    """As `attempt_for`, for one of very many requests of a page that was noted when it was opened."""
    rows = attempts_visible_to(allow(request, MAY)).select_related("exercise", "pack_version")
    attempt = rows.filter(pk=pk).first()
    if attempt is None:
        raise Http404
    return attempt


def room_urls(at: str) -> Iterator[URLPattern]:
    """An address below `at` for every address of the candidate's room, but for the terminal's."""
    for entry in candidates.urlpatterns:
        view = getattr(getattr(entry, "callback", None), "cls", None)
        if not isinstance(entry, URLPattern) or not view or not issubclass(view, RoomView):
            continue
        name = str(entry.name).removeprefix("room-")
        if not name.startswith("terminal"):
            yield path(at + str(entry.pattern), _staffs(view), name=NAME + name)
