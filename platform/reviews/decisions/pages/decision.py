"""The decision page: everybody's ratings and the machine's measures side by side, and a person's reasons."""

from __future__ import annotations

from statistics import fmean
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.prose import ProseField
from assessments.models import Attempt
from hiring.policies import weight_warning
from reviews.access import attempt_for, page_context
from reviews.answers import submission_of, with_answers
from reviews.decisions import decisions
from reviews.decisions.candidate_scores import CandidateScore, candidate_scores
from reviews.decisions.decisions import decisions_about
from reviews.decisions.looks import seen_before
from reviews.decisions.reports import agreed_on, cards_of, formula, sees_measures
from reviews.evidence.assistant_alone import beside, line_for
from reviews.evidence.replays import shown_grading
from reviews.feedback.defence import defences_by_attempt
from reviews.models import Decision, Evaluation
from reviews.scoring import evaluations, overrides
from reviews.visibility import (
    attempts_visible_to,
    may_act_on,
    may_read_decisions,
)


class DecisionForm(forms.Form):
    id = forms.UUIDField(widget=forms.HiddenInput)
    outcome = forms.ChoiceField(choices=Decision.Outcome.choices, widget=forms.RadioSelect)
    reasons = ProseField(
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="What in the work led to this. It stays in the log with your name.",
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if "id" in self.errors:  # the field is hidden, so the page says it
            self.data = {**self.data, "id": str(uuid4())}
            self.add_error(None, "This form was not complete: look it through and send it again.")
        return data


class Row(NamedTuple):
    """A criterion with every evaluator's level and their mean."""

    title: str
    levels: list[int | None]
    mean: float | None


@require_http_methods(["GET", "HEAD", "POST"])
def decision(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Everything about one candidate and opening; a POST appends a decision."""
    viewer, attempt = attempt_for(request, pk, "reviews.view_decision")
    sent = request.POST.dict() if request.method == "POST" else None
    form = DecisionForm(sent, initial={"id": uuid4()})
    status = 200
    if request.method == "POST":
        if not may_act_on(viewer, attempt, "reviews.add_decision"):
            raise PermissionDenied
        status = _decide(request, form, attempt, viewer)
        if status == 302:
            return HttpResponseRedirect(request.path)
    readable = may_read_decisions(viewer, attempt)
    log = decisions_about(attempt) if readable else []
    is_final = bool(log) and log[0].outcome in Decision.FINAL
    context = page_context(request, attempt, "Decision")
    context |= {
        "form": form,
        "may_decide": may_act_on(viewer, attempt, "reviews.add_decision"),
        "readable": readable,
        "log": log,
        "to_tell": is_final
        and not log[0].told_at
        and may_act_on(viewer, attempt, "hiring.add_message"),
        "attempts": _summaries(attempt, viewer),
        **_overall(attempt, viewer),
    }
    return render(request, "reviews/decision.html", context, status=status)


def _decide(request: HttpRequest, form: DecisionForm, attempt: Attempt, viewer: User) -> int:
    if not form.is_valid():
        return 400
    link = attempt.invitation
    try:
        decided, made = decisions.decide(
            opening=link.opening,
            candidate=link.candidate,
            by=viewer,
            now=timezone.now(),
            **form.cleaned_data,
        )
    except NotPossible as error:
        form.add_error(None, str(error))
        return 409
    outcome = decided.get_outcome_display()
    if made:
        note_action(viewer, attempt, f"Decided: {outcome}.")
        messages.success(request, f"Recorded: {outcome}.")
    else:
        messages.info(request, f"This was recorded before: {outcome}.")
    return 302


def _overall(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """The mechanical combination, and for those who decide who had looked at what until now."""
    opening, candidate = attempt.invitation.opening, attempt.invitation.candidate
    candidate_score = candidate_scores(viewer, opening, candidates=[candidate.pk]).get(
        candidate.pk, CandidateScore()
    )
    decides = may_act_on(viewer, attempt, "reviews.add_decision")
    return {
        "candidate_score": candidate_score,
        "interview_weight": 100 - opening.work_sample_weight,
        "formula": formula(opening, candidate_score),
        "weight_warning": weight_warning(opening.work_sample_weight),
        "seen": seen_before(candidate, None) if decides else None,
    }


def _attempts(attempt: Attempt, viewer: User) -> list[Attempt]:
    """All attempts of this candidate for this opening that the viewer may see."""
    link = attempt.invitation
    rows = attempts_visible_to(viewer).filter(
        invitation__opening=link.opening, invitation__candidate=link.candidate
    )
    return list(with_answers(rows, viewer))


def _summaries(attempt: Attempt, viewer: User) -> list[dict[str, Any]]:
    attempts = _attempts(attempt, viewer)
    cards = cards_of(viewer, attempts)
    defences = defences_by_attempt(attempts, viewer)
    return [
        {
            "attempt": row,
            "defences": defences[row.pk],
            "rounds": [
                _round(row, number, viewer, [one for one in cards[row.pk] if one.round == number])
                for number in (1, 2)
                if submission_of(row, number)
            ],
        }
        for row in attempts
    ]


def _round(attempt: Attempt, number: int, viewer: User, seen: list[Evaluation]) -> dict[str, Any]:
    sees = sees_measures(viewer, attempt, seen)
    submission = submission_of(attempt, number)
    run = shown_grading(submission) if sees else None
    report, held = run.report if run else None, overrides.of(run)
    alone = line_for(attempt.exercise) if sees else None
    return {
        "number": number,
        "cards": seen,
        "rows": ratings_table(seen),
        "agreed": agreed_on(viewer, submission, seen) if submission else [],
        "mean": _mean([evaluations.mean_rating(card) for card in seen]),
        "sees_measures": sees,
        "measures": beside(overrides.beside(report, held), alone),
        "alone": alone,
        "overridden": held,
        "score": (report or {}).get("score"),
        "asked": len(attempt.assignments.all()),
    }


def ratings_table(cards: list[Evaluation]) -> list[Row]:
    """One row for each criterion of the cards' rubrics, one level for each card."""
    titles = {item["key"]: item["title"] for card in cards for item in card.criteria()}
    levels = [{row.criterion_key: row.level for row in card.ratings.all()} for card in cards]
    return [
        Row(title, given, _mean(given))
        for key, title in titles.items()
        for given in [[card.get(key) for card in levels]]
    ]


def _mean(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
