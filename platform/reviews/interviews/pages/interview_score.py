"""Enter what an interview came to that was held without a question set."""

from __future__ import annotations

from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import ADDITION, note_action
from accounts.not_possible import NotPossible
from accounts.prose import ProseField
from library.models import HIGHEST, LOWEST
from reviews.access import attempt_for, page_context
from reviews.interviews import interview_scores
from reviews.models import InterviewScore

MEANING = {1: "well below", 2: "below", 3: "meets the bar", 4: "above", 5: "outstanding"}


class ScoreForm(forms.Form):
    id = forms.UUIDField(widget=forms.HiddenInput)
    about = forms.ChoiceField(
        label="What the interview was about",
        choices=InterviewScore.About.choices,
        widget=forms.RadioSelect,
    )
    score = forms.TypedChoiceField(
        coerce=int,
        choices=[(level, f"{level}: {MEANING[level]}") for level in range(LOWEST, HIGHEST + 1)],
        widget=forms.RadioSelect,
    )
    reasons = ProseField(
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What was said and done that led to this level.",
    )

    def clean(self) -> dict[str, object]:
        data: dict[str, object] = super().clean() or {}
        if "id" in self.errors:  # the field is hidden, so the page says it
            self.data = {**self.data, "id": str(uuid4())}
            self.add_error(None, "This form was not complete: look it through and send it again.")
        return data


@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Append a score of the viewer's own; their earlier ones stay on record."""
    viewer, attempt = attempt_for(request, pk, "reviews.add_interviewscore")
    link, status = attempt.invitation, 200
    sent = request.POST.dict() if request.method == "POST" else None
    form = ScoreForm(sent, initial={"id": uuid4()})
    if sent is not None and form.is_valid():
        try:
            given, made = interview_scores.give(
                opening=link.opening,
                candidate=link.candidate,
                by=viewer,
                now=timezone.now(),
                **form.cleaned_data,
            )
        except NotPossible as error:
            form.add_error(None, str(error))
            status = 409
        else:
            said = f"Scored an interview ({given.get_about_display().lower()})."
            if made:
                note_action(viewer, attempt, said, flag=ADDITION)
            messages.success(request, "The score is in." if made else "This was entered before.")
            if viewer.has_perm("reviews.view_decision"):
                return HttpResponseRedirect(reverse("admin:report", args=[attempt.pk]))
            return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))
    elif sent is not None:
        status = 400
    own = InterviewScore.objects.filter(
        opening=link.opening, candidate=link.candidate, given_by=viewer
    )
    context = page_context(request, attempt, "Score of an interview")
    context |= {"form": form, "own": own}
    return render(request, "reviews/interview_score.html", context, status=status)
