"""Questions of candidates: the list, the answer to one, and the announcement to all at an exercise."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.confirmed import Verb, confirm
from accounts.models import User
from accounts.prose import ProseField
from accounts.staff_admin import allow
from assessments.enquiries import telling
from assessments.models import Attempt, Enquiry
from assessments.models.enquiries import MOST_MINUTES
from hiring.models import Exercise, Opening
from hiring.oversight import openings_overseen_by
from reviews.enquiries.waiting import (
    ANSWER,
    FEEDBACK,
    WROTE_IT,
    enquiries_visible_to,
    oversees,
    waiting_for_answer,
    wrote_what_is_asked_about,
)

VIEW, TIME = "assessments.view_enquiry", "assessments.add_timeevent"
LONGEST, SHOWN = 4000, 50
MINUTES = "Added to their clock while it runs, longer for whoever has extra time. 0 adds nothing."
TO_ALL = (
    "Added to every clock that runs, longer for whoever has extra time. 0 adds nothing. A correction "
    "costs everybody some minutes of reading and thinking again."
)


class TellForm(forms.Form):
    """What is told, and the time that it costs whoever reads it."""

    text = ProseField(
        max_length=LONGEST,
        label="What they read",
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Shown on the open page within seconds. It does not say who of you wrote it.",
    )
    minutes = forms.IntegerField(
        label="Minutes for it",
        min_value=0,
        max_value=MOST_MINUTES,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        help_text=MINUTES,
    )

    def __init__(self, *args: Any, gives_time: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not gives_time:
            del self.fields["minutes"]


class AnnounceForm(TellForm):
    """The same to everybody at one exercise, or at all of the opening's."""

    exercise = forms.ModelChoiceField(
        Exercise.objects.none(), required=False, empty_label="All exercises of the opening"
    )
    is_correction = forms.BooleanField(
        label="It corrects the exercise", required=False, help_text="Said with it on their pages."
    )
    field_order = ["exercise", "text", "is_correction", "minutes"]

    def __init__(self, *args: Any, opening: Opening, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["exercise"].queryset = opening.exercises.all()  # type: ignore[attr-defined]
        if "minutes" in self.fields:
            self.fields["minutes"].help_text = TO_ALL


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """What waits for an answer, oldest first, and what was answered."""
    viewer = allow(request, VIEW)
    answered = enquiries_visible_to(viewer).filter(answered=True).prefetch_related("answers")
    sees_time = viewer.has_perm("assessments.view_timeevent")
    context = {
        **admin.site.each_context(request),
        "title": "Questions of candidates",
        "waiting": list(waiting_for_answer(viewer)[: 4 * SHOWN]),
        "answered": list(answered.order_by("-asked_at")[:SHOWN]),
        "sees_time": sees_time,
    }
    return render(request, "reviews/enquiries.html", context)


def answer(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Answer the one who asked."""
    viewer = allow(request, ANSWER)
    enquiry = enquiries_visible_to(viewer).filter(pk=pk).first()
    if enquiry is None:
        raise Http404
    if wrote_what_is_asked_about(enquiry, viewer):
        raise PermissionDenied(WROTE_IT)

    def perform(row: Enquiry, data: dict[str, Any], by: User, now: datetime) -> str:
        minutes = data.get("minutes") or 0
        told = telling.answer(row, text=data["text"], minutes=minutes, by=by, now=now)
        return f"Answered{_given(minutes, told.given)}."

    verb = Verb(
        title=f"Answer candidate {enquiry.attempt.invitation.candidate.pseudonym}",
        explanation=f"They ask: “{enquiry.text}”",
        button="Answer this candidate",
        permission=ANSWER,
        perform=perform,
        form=TellForm,
    )
    gives_time = viewer.has_perm(TIME) and enquiry.about != FEEDBACK and oversees(viewer, enquiry)
    return confirm(request, enquiry, verb, back=reverse("admin:enquiries"), gives_time=gives_time)


def announce(request: HttpRequest, pk: int) -> HttpResponse:
    """Tell everybody at an exercise; ?enquiry= is the question that it answers."""
    viewer = allow(request, ANSWER)
    opening = get_object_or_404(openings_overseen_by(viewer), pk=pk)
    enquiry = _asked(request, viewer, opening)
    there = Attempt.objects.filter(exercise__opening=opening)
    asked = f"A candidate asks: “{enquiry.text}” " if enquiry else ""
    verb = Verb(
        title=f"Announce to everybody: {opening}",
        explanation=f"{asked}Everybody at the exercise reads it on their page, now or when they begin. "
        f"At work at this moment: {len(telling.working(there, timezone.now()))}.",
        button="Announce",
        permission=ANSWER,
        perform=partial(_announced, enquiry),
        form=AnnounceForm,
    )
    return confirm(
        request,
        opening,
        verb,
        back=reverse("admin:enquiries") if enquiry else reverse("admin:board", args=[opening.pk]),
        opening=opening,
        gives_time=viewer.has_perm(TIME),
        initial={"exercise": enquiry.attempt.exercise_id} if enquiry else {},
    )


def _announced(
    enquiry: Enquiry | None, opening: Opening, data: dict[str, Any], by: User, now: datetime
) -> str:
    minutes = data.get("minutes") or 0
    told = telling.announce(
        opening,
        data["exercise"],
        text=data["text"],
        minutes=minutes,
        is_correction=data["is_correction"],
        by=by,
        now=now,
        enquiry=enquiry,
    )
    return f"Announced to everybody{_given(minutes, told.given)}."


def _asked(request: HttpRequest, viewer: User, opening: Opening) -> Enquiry | None:
    """The question that the announcement answers; Http404 for one that it cannot."""
    try:
        key = UUID(request.GET["enquiry"])
    except KeyError:
        return None
    except ValueError:
        raise Http404 from None
    rows = waiting_for_answer(viewer).filter(about="work", attempt__exercise__opening=opening)
    found: Enquiry = get_object_or_404(rows, pk=key)
    return found


def _given(minutes: int, clocks: int) -> str:
    """ "", or to how many clocks the minutes were added."""
    if not minutes:
        return ""
    clock = "clock" if clocks == 1 else "clocks"
    return f"; {minutes} min were added to {clocks} running {clock}"
