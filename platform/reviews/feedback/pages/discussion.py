"""The discussion page: the averages, and only the criteria on which the scorecards are far apart."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import ProseField
from assessments.models import Attempt
from library.models import HIGHEST, LOWEST
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of
from reviews.models import DiscussionOutcome, Evaluation
from reviews.scoring import agreement, evaluations
from reviews.visibility import has_card_in

LEVELS = [(value, str(value)) for value in range(LOWEST, HIGHEST + 1)]
OWN_FIRST = (
    "Your own scorecard of this round comes first: hand it in, then talk about what differs."
)


class OutcomeForm(forms.Form):
    criterion = forms.CharField(max_length=40, widget=forms.HiddenInput)
    level = forms.TypedChoiceField(
        choices=LEVELS,
        coerce=int,
        widget=forms.RadioSelect,
        label="Level after the discussion",
        error_messages={"required": "Choose the level you agreed on."},
    )
    reason = ProseField(
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="What in the answer settled it",
        help_text="Stays on record with your name. The scorecards stay as they are.",
        error_messages={"required": "Write what in the answer settled it."},
    )

    def __init__(self, *args: Any, levels: dict[str, str], **kwargs: Any) -> None:
        """levels: {"1": its described text, ...} of the criterion."""
        super().__init__(*args, **kwargs)
        words = [(value, f"{value}  {levels.get(str(value), '')}") for value, _ in LEVELS]
        self.fields["level"].choices = words  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
def discussion(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    """What differs and what was agreed; a POST appends an outcome for one criterion."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_discussionoutcome")
    submission = submission_of(attempt, round)
    if submission is None:
        raise Http404
    home = HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))
    if attempt.scores_it and not has_card_in(viewer, attempt, round):  # type: ignore[attr-defined]
        messages.warning(request, OWN_FIRST)
        return home
    if request.method == "POST" and not viewer.has_perm("reviews.add_discussionoutcome"):
        raise PermissionDenied
    try:
        cards = agreement.may_be_discussed(attempt, submission, viewer)
    except NotPossible as error:
        messages.info(request, str(error))
        return home
    sent = None
    if request.method == "POST":
        sent = OutcomeForm(request.POST, levels=_levels(cards, request.POST.get("criterion", "")))
    status = 200
    if sent is not None:
        status = _record(request, sent, attempt, cards, viewer)
        if status == 302:
            return HttpResponseRedirect(request.path)
    context = page_context(request, attempt, "Discussion")
    context |= _shown(attempt, round, cards, viewer, sent)
    return render(request, "reviews/discussion.html", context, status=status)


def _record(
    request: HttpRequest, form: OutcomeForm, attempt: Attempt, cards: list[Evaluation], viewer: User
) -> int:
    if not form.is_valid():
        return 400
    try:
        outcome = agreement.record(
            cards[0].submission, cards, by=viewer, now=timezone.now(), **form.cleaned_data
        )
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    titles = {item["key"]: item["title"] for item in cards[0].criteria()}
    what = f"{titles[outcome.criterion_key]}: {outcome.level} after discussion."
    # without the level: the trail of an attempt is read by people who may read no scorecard
    trail = f"Recorded what was agreed after a discussion: {titles[outcome.criterion_key]}."
    note_action(viewer, attempt, trail)
    messages.success(request, f"Recorded: {what}")
    return 302


def _shown(
    attempt: Attempt, round: int, cards: list[Evaluation], viewer: User, sent: OutcomeForm | None
) -> dict[str, Any]:
    rule = agreement.rule_of(attempt.invitation.opening)
    seen = DiscussionOutcome.objects.visible_to(viewer).filter(submission=cards[0].submission)
    outcomes = list(seen.select_related("recorded_by"))
    differing = agreement.to_discuss(cards, rule, outcomes)
    return {
        "round": round,
        "rule": rule,
        "cards": [(card, evaluations.mean_rating(card)) for card in cards],
        "apart": agreement.means_apart(cards),
        "by_mean": agreement.means_apart(cards) >= rule.means,
        "same": len(cards[0].criteria()) - len(differing),
        "may_record": viewer.has_perm("reviews.add_discussionoutcome"),
        "rows": [_row(gap, cards, outcomes, sent) for gap in differing],
    }


def _levels(cards: list[Evaluation], key: str) -> dict[str, str]:
    """{"1": its described text, ...} of a criterion; empty where there is no such criterion."""
    found = [item["levels"] for item in cards[0].criteria() if item["key"] == key]
    return found[0] if found else {}


def _row(
    gap: agreement.Gap,
    cards: list[Evaluation],
    outcomes: list[DiscussionOutcome],
    sent: OutcomeForm | None,
) -> dict[str, Any]:
    """One criterion that differs: who gave which level and wrote what, and earlier outcomes."""
    given = []
    for card, level in zip(cards, gap.levels, strict=True):
        ratings = {row.criterion_key: row for row in card.ratings.all()}
        rating = ratings.get(gap.key)
        given.append((card.evaluator, level, rating))
    is_sent = sent is not None and sent.data.get("criterion") == gap.key
    fresh = OutcomeForm(initial={"criterion": gap.key}, levels=_levels(cards, gap.key))
    form = sent if is_sent and sent else fresh
    form.auto_id = f"{gap.key}-%s"
    return {
        "gap": gap,
        "given": given,
        "log": [row for row in outcomes if row.criterion_key == gap.key],
        "form": form,
    }
