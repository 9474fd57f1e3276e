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
from accounts.not_possible import NotPossible
from accounts.prose import ProseField
from accounts.row_numbers import row_number
from assessments import spoken
from assessments.models import Attempt, RevisionRound
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.evidence.kinds import staff_of
from reviews.feedback import challenges, early_release
from reviews.feedback import feedback as words
from reviews.models import Defence, Feedback, InterviewSession
from reviews.phases import phase_tag
from reviews.visibility import may_see_clock, may_see_measures

TEXT = {"rows": 4}
LONGEST_REASON = 1000
PLACE_HELP = (
    "One of your pins, or a part of the answer. The candidate reads the place, not the pin."
)


class FeedbackForm(forms.Form):
    """What the candidate will read, word for word."""

    strength = ProseField(
        label="One strength",
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs=TEXT),
        help_text="What was done well, and where it shows. The candidate reads this.",
    )
    improvement = ProseField(
        label="One improvement",
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs=TEXT),
        help_text="One thing to change in the revision, and why it matters. Leave the how to them.",
    )
    strength_place = forms.ChoiceField(
        label="Where the strength shows", required=False, help_text=PLACE_HELP
    )
    improvement_place = forms.ChoiceField(
        label="Where the improvement belongs", required=False, help_text=PLACE_HELP
    )
    focus = forms.ChoiceField(
        label="What the revision is about",
        required=False,
        help_text="Only this can be changed in the revision; the rest is read-only.",
    )
    field_order = ["strength", "strength_place", "improvement", "improvement_place", "focus"]

    def __init__(
        self,
        *args: Any,
        choices: list[tuple[str, str]],
        places: list[tuple[str, str]],
        challenged: list[tuple[str, str]],
        has_rows: bool = False,
        **kwargs: Any,
    ) -> None:
        """challenged: places of the improvement; has_rows: the answer is a table of recommendations."""
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["focus"].choices = choices
        fields["strength_place"].choices = places
        fields["improvement_place"].choices = challenged
        if has_rows:
            self._speak_of_rows(fields)

    def _speak_of_rows(self, fields: dict[str, Any]) -> None:
        fields["strength_place"].label = "The recommendation that is particularly valuable"
        fields["strength_place"].help_text = "The candidate reads its number and its words."
        fields["improvement"].label = "The challenge"
        fields["improvement"].help_text = (
            "What may have consequences that the answer does not name, or be hard to carry out, as a "
            "question. Left empty, a suggested row brings its own question."
        )
        fields["improvement_place"].label = "The one recommendation to challenge"
        fields[
            "improvement_place"
        ].help_text = (
            "The revision is about it. A part of the answer instead: a challenge in your own words."
        )
        fields["focus"].help_text = "What can be changed in the revision; the rest is read-only."


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
    is_early = existing is not None and bool({"ask-early", "agree-early"} & set(request.POST))
    form = FeedbackForm(
        request.POST if request.method == "POST" and not is_early else None,
        choices=words.focus_choices(attempt),
        places=words.place_choices(attempt, viewer),
        challenged=words.place_choices(attempt, viewer, challenged=True),
        has_rows=bool(challenges.table_of(attempt)),
        initial=_initial(attempt, existing),
    )
    status, early_error = 200, ""
    hidden = existing is None and rows.exists()
    if existing and is_early:
        status, early_error = _let_go_early(request, existing, attempt, viewer)
    elif request.method == "POST":
        status = _act(request, form, attempt, viewer)
    if status == 302:
        return HttpResponseRedirect(request.path)
    existing = rows.visible_to(viewer).first()  # a refused release has kept its words
    context = page_context(request, attempt, "Feedback and revision")
    context |= _page(attempt, viewer, existing) | {"form": form}
    context["hidden"] = words.HIDDEN if hidden else ""
    context["early_error"] = early_error
    return render(request, "reviews/feedback.html", context, status=status)


def _initial(attempt: Attempt, existing: Feedback | None) -> dict[str, str]:
    if existing is None:
        return {"focus": challenges.table_of(attempt)} if challenges.rows_for(attempt) else {}
    kept = {name: getattr(existing, name) for name in ("strength", "improvement", "focus")}
    for name in ("strength", "improvement"):
        place, pin = getattr(existing, f"{name}_place"), getattr(existing, f"{name}_pin_id")
        kept[f"{name}_place"] = f"pin-{pin}" if pin else f"part-{place}" if place else ""
    rows = {"strength": existing.strength_row, "improvement": existing.challenged_row}
    kept |= {f"{name}_place": f"{challenges.PREFIX}{row}" for name, row in rows.items() if row}
    return kept


def _act(request: HttpRequest, form: FeedbackForm, attempt: Attempt, viewer: User) -> int:
    """Keep the wording, and release it if asked; the status of the answer."""
    if not form.is_valid():
        return 400
    now = timezone.now()
    try:
        said = words.Wording(**form.cleaned_data)
        kept = words.write(attempt=attempt, wording=said, by=viewer, now=now)
        if "release" in request.POST:
            words.release(kept, by=viewer, now=now)
            note_action(viewer, attempt, "Released the feedback and opened the revision.")
            messages.success(request, "The feedback is released and the revision is open.")
        else:
            wrote = f"Changed the feedback that {kept.author} began."
            note_action(viewer, attempt, "Wrote feedback." if kept.author == viewer else wrote)
            messages.success(request, "Kept. The candidate sees nothing until you release it.")
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    return 302


def _let_go_early(
    request: HttpRequest, existing: Feedback, attempt: Attempt, viewer: User
) -> tuple[int, str]:
    """Ask for a release before all is settled, or agree to it; (status, what was wrong)."""
    now = timezone.now()
    try:
        if "ask-early" in request.POST:
            reason = request.POST.get("early_reason", "").replace("\x00", "")[:LONGEST_REASON]
            early_release.ask(existing, reason=reason, by=viewer, now=now)
            note_action(viewer, attempt, f"Asked to release the feedback early. Reason: {reason}")
            messages.success(request, "Asked. Somebody else has to agree on this page.")
        else:
            key = row_number(request.POST.get("agree-early", "")) or 0
            asked = early_release.agree(existing, request=key, by=viewer, now=now)
            said = f"Agreed to the early release that {asked.asked_by} asked for."
            note_action(viewer, attempt, said)
            messages.success(request, "You agreed: the feedback can be released now.")
    except NotPossible as error:
        return 409, str(error)
    return 302, ""


def _asked_in(revision: RevisionRound | None, viewer: User) -> list[InterviewSession]:
    """The talks in the revision round that the viewer may read."""
    rows = InterviewSession.objects.visible_to(viewer).current().filter(revision=revision)
    return list(rows.select_related("interviewer", "question_set")) if revision else []


def _challenge_context(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """What to choose from in a cost exercise; nothing in any other."""
    if not challenges.table_of(attempt):
        return {}
    sees = may_see_measures(viewer, attempt, 1)
    return {
        "has_rows": True,
        "suggestions": challenges.suggestions(attempt, viewer),
        "suggestions_hidden": "" if sees else challenges.HIDDEN,
    }


def _early_context(attempt: Attempt, viewer: User, existing: Feedback | None) -> dict[str, Any]:
    """What is open, and the request to let the feedback go before it is settled.

    Nothing for whoever still owes a scorecard: that others differ would tell them of their levels.
    """
    if early_release.owes_card(attempt, viewer):
        return {}
    early = early_release.present_request(existing) if existing else None
    return {
        "matters": [] if hasattr(attempt, "revision") else early_release.open_matters(attempt),
        "early": early,
        "may_agree": bool(early and not early.agreed_by_id and early.asked_by != viewer),
        "longest_reason": LONGEST_REASON,
    }


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
        "defences": list(Defence.objects.current().filter(attempt=attempt).select_related("by")),
        **_challenge_context(attempt, viewer),
        "needs_focus": staff_of(attempt.exercise).needs_focus,
        "asked": _asked_in(revision, viewer),
        **_early_context(attempt, viewer, existing),
        "may_speak": revision is not None and not spoken.has_typed(attempt),
    }
