"""The page on which an interviewer writes down a revision that the candidate gives by speech."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import ProseField
from assessments import spoken
from assessments.models import Attempt
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.feedback import defence
from reviews.feedback.challenges import about_of
from reviews.models import SpokenNotes
from reviews.phases import phase_tag
from reviews.visibility import may_see_feedback

LONGEST = 50_000


class SpokenForm(forms.Form):
    notes = ProseField(
        label="What the candidate says",
        max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=(
            "Their words and reasons, not your view of them: this becomes the answer of round 2 "
            "and is scored. The candidate reads it on the receipt."
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = attempt_for(request, pk, "reviews.add_feedback")
    back = reverse("admin:feedback", args=[attempt.pk])
    if getattr(attempt, "revision", None) is None:
        messages.warning(request, "The revision is not open: release the feedback first.")
        return HttpResponseRedirect(back)
    form = SpokenForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = _hand_in(request, form, attempt, viewer)
        if status == 302:
            return HttpResponseRedirect(back)
    now = timezone.now()
    context = page_context(request, attempt, "Spoken revision")
    context |= {
        "form": form,
        "phase": phase_tag(attempt, now),
        "second": submission_of(attempt, 2),
        "typed": spoken.has_typed(attempt) and spoken.TYPED,
        "owes": defence.owes_first_card(viewer, attempt) and defence.OWES_CARD,
        "sees_feedback": may_see_feedback(viewer, attempt),
        "about": about_of(attempt),
        "kept": f"spoken-{attempt.pk}",
    }
    return render(request, "reviews/spoken.html", context, status=status)


def _hand_in(request: HttpRequest, form: SpokenForm, attempt: Attempt, viewer: User) -> int:
    if not form.is_valid():
        return 400
    now = timezone.now()
    try:
        if defence.owes_first_card(viewer, attempt):
            raise NotPossible(defence.OWES_CARD)
        with transaction.atomic():
            notes = form.cleaned_data["notes"]
            answer = spoken.hand_in_notes(attempt.pk, notes=notes, by=viewer, now=now)
            SpokenNotes.objects.get_or_create(
                submission=answer, defaults={"typed_by": viewer, "typed_at": now}
            )
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    note_action(viewer, attempt, "Handed in the notes of a spoken revision.")
    messages.success(request, "The notes are the answer of round 2 now. Score how they took it up.")
    return 302
