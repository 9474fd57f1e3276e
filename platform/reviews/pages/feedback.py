"""The feedback page: one strength, one improvement, what the revision is about; releasing opens it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.models import User
from assessments.models import Attempt
from reviews import evaluations
from reviews import feedback as words
from reviews.models import Feedback
from reviews.pages.access import attempt_for, page_context, submission_of
from reviews.phases import phase_tag
from reviews.visibility import may_see_clock

TEXT = {"rows": 4}


class FeedbackForm(forms.Form):
    """What the candidate will read, word for word."""

    strength = forms.CharField(
        label="One strength",
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs=TEXT),
        help_text="What was done well, and where it shows. The candidate reads this.",
    )
    improvement = forms.CharField(
        label="One improvement",
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs=TEXT),
        help_text="One thing to change in the revision, and why it matters. Leave the how to them.",
    )
    focus = forms.ChoiceField(
        label="What the revision is about",
        required=False,
        help_text="Only this can be changed in the revision; the rest is read-only.",
    )

    def __init__(self, *args: Any, choices: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["focus"].choices = choices  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = attempt_for(request, pk, "reviews.add_feedback")
    rows = Feedback.objects.filter(attempt=attempt).select_related("author", "changed_by")
    existing = rows.visible_to(viewer).first()
    if submission_of(attempt, 1) is None:
        messages.warning(
            request, "The first answer was not handed in yet: feedback comes after it."
        )
        return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))
    form = FeedbackForm(
        request.POST if request.method == "POST" else None,
        choices=words.focus_choices(attempt),
        initial=_initial(existing),
    )
    status = 200
    hidden = existing is None and rows.exists()
    if request.method == "POST":
        status = _act(request, form, attempt, viewer)
        if status == 302:
            return HttpResponseRedirect(request.path)
    context = page_context(request, attempt, "Feedback and revision")
    context |= _page(attempt, viewer, existing) | {"form": form}
    context["hidden"] = words.HIDDEN if hidden else ""
    return render(request, "reviews/feedback.html", context, status=status)


def _initial(existing: Feedback | None) -> dict[str, str]:
    if existing is None:
        return {}
    return {name: getattr(existing, name) for name in ("strength", "improvement", "focus")}


def _act(request: HttpRequest, form: FeedbackForm, attempt: Attempt, viewer: User) -> int:
    """Keep the wording, and release it if asked; the status of the answer."""
    if not form.is_valid():
        return 400
    now = timezone.now()
    try:
        kept = words.write(attempt=attempt, by=viewer, now=now, **form.cleaned_data)
        if "release" in request.POST:
            words.release(kept, by=viewer, now=now)
            note_action(viewer, attempt, "Released the feedback and opened the revision.")
            messages.success(request, "The feedback is released and the revision is open.")
        else:
            wrote = f"Changed the feedback that {kept.author} began."
            note_action(viewer, attempt, "Wrote feedback." if kept.author == viewer else wrote)
            messages.success(request, "Kept. The candidate sees nothing until you release it.")
    except evaluations.NotPossible as error:
        form.add_error(None, str(error))
        return 409
    return 302


def _page(attempt: Attempt, viewer: User, existing: Feedback | None) -> dict[str, Any]:
    revision = getattr(attempt, "revision", None)
    return {
        "existing": existing,
        "released": existing is not None and existing.released_at is not None,
        "revision": revision,
        "phase": phase_tag(attempt, timezone.now()),
        "second": submission_of(attempt, 2),
        "sees_clock": may_see_clock(viewer, attempt),
        "focus_title": dict(words.focus_choices(attempt)).get(existing.focus if existing else ""),
        "scores_it": attempt.scores_it,  # type: ignore[attr-defined]
    }
