"""One exercise across its candidates: what an evaluator scores, in an order of their own."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.staff_admin import allow
from hiring.models import Exercise
from reviews.scoring.score_order import Place, names, next_to_score, order
from reviews.visibility import openings_visible_to

SHOWN = 100


def _exercise(request: HttpRequest, pk: int, exercise: int) -> tuple[User, Exercise]:
    viewer = allow(request, "reviews.add_evaluation")
    rows = Exercise.objects.select_related("opening").filter(
        opening__in=openings_visible_to(viewer)
    )
    found = rows.filter(opening=pk, pk=exercise).first()
    if found is None:
        raise Http404
    return viewer, found


@require_safe
def show(request: HttpRequest, pk: int, exercise: int) -> HttpResponse:
    """The evaluator's list; ?next goes straight to what is to be scored next."""
    viewer, row = _exercise(request, pk, exercise)
    places = order(viewer, row)
    following = next_to_score(places, _after(request.GET.get("after", ""), places))
    if "next" in request.GET:
        if following and following.owed:
            to = reverse("admin:score", args=[following.attempt, following.owed])
            return HttpResponseRedirect(to)
        messages.info(request, "Nothing is left to score in this exercise for now.")
        return HttpResponseRedirect(request.path)
    context = {
        **admin.site.each_context(request),
        "title": f"{row}: all candidates",
        "exercise": row,
        "opening": row.opening,
        "following": following,
        "done": sum(done for place in places for _, done in place.rounds),
        "of": sum(len(place.rounds) for place in places),
        **_page(places, following, request.GET.get("page", ""), viewer),
    }
    return render(request, "reviews/score_order.html", context)


def _page(places: list[Place], following: Place | None, text: str, viewer: User) -> dict[str, Any]:
    """A hundred of the list; the hundred with what is next where no page is asked for."""
    pages = max(1, -(-len(places) // SHOWN))
    number = places.index(following) // SHOWN + 1 if following else 1
    if text.isascii() and text.isdecimal() and len(text) < 6:
        number = min(max(int(text), 1), pages)
    start = (number - 1) * SHOWN
    shown = places[start : start + SHOWN]
    known = names(viewer, shown)
    return {
        "ordered": [
            {"at": at, "key": place.attempt, "name": known[place.attempt], "rounds": place.rounds}
            for at, place in enumerate(shown, start + 1)
        ],
        "page": number,
        "pages": range(1, pages + 1),
    }


def _after(text: str, places: list[Place]) -> UUID | None:
    """The attempt that the evaluator comes from, if it is one of theirs."""
    return next((row.attempt for row in places if str(row.attempt) == text), None)
