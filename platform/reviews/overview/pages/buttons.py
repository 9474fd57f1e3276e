"""The buttons of an attempt: assign, withdraw, extend, reopen, regrade, correct a scorecard."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from accounts.confirmed import DoneBefore, MinutesForm, Refused, Verb, confirm
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments import attempts
from assessments.clock import EventKind
from assessments.ledger import locked
from assessments.models import Attempt, Submission, TimeEvent
from assessments.submissions import request_grading
from reviews.access import attempt_for, own_attempt_for
from reviews.answers import submission_of
from reviews.models import Assignment, Evaluation
from reviews.overview.pages.evaluators import free_evaluators
from reviews.scoring import evaluations

SAME_PRESS = timedelta(seconds=30)
EXTENDED_JUST_NOW = (
    "You extended this attempt for the same reason a moment ago, and that counts once. To add more "
    "time, say so in the reason."
)
CORRECTION_OPEN = "Your correction is open: change what you need and submit it."


class AssignForm(forms.Form):
    evaluator = forms.ModelChoiceField(
        User.objects.none(),
        empty_label="Choose…",
        error_messages={
            "invalid_choice": (
                "Choose somebody from the list. Who scores already is not in it, and nobody puts "
                "themselves on a panel: an administrator or a recruiter does it."
            )
        },
    )

    def __init__(self, *args: Any, people: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["evaluator"].queryset = people  # type: ignore[attr-defined]


def _refusing(perform: Callable[..., str]) -> Callable[..., str]:
    """The verbs' own refusals, as the page that asks for confirmation knows them."""

    @wraps(perform)
    def careful(row: Any, data: dict[str, Any], by: User, now: datetime) -> str:
        try:
            return perform(row, data, by, now)
        except NotPossible as error:
            raise Refused(str(error)) from error

    return careful


@_refusing
def _assign(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    evaluations.assign(attempt=attempt, evaluator=data["evaluator"], by=by, now=now)
    return f"Asked {data['evaluator']} to score."


@_refusing
def _withdraw(assignment: Assignment, data: dict[str, Any], by: User, now: datetime) -> str:
    evaluations.withdraw(assignment, by=by)
    return f"{assignment.evaluator} no longer scores {assignment.attempt}. Reason: {data['reason']}"


@_refusing
@transaction.atomic
def _extend(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    with locked(attempt.pk) as row:  # of two at once the second sees what the first did
        if _is_same_again(row.time_events.last(), data, by, now):
            raise DoneBefore(EXTENDED_JUST_NOW)
    attempts.extend(attempt.pk, minutes=data["minutes"], by=by, reason=data["reason"], now=now)
    return f"Extended by {data['minutes']} minutes. Reason: {data['reason']}"


def _is_same_again(last: TimeEvent | None, data: dict[str, Any], by: User, now: datetime) -> bool:
    """The change of the clock before this one is the same, by the same person, a moment ago."""
    if last is None or last.kind != EventKind.EXTENDED or not (last.before and last.after):
        return False
    added = last.after - max(last.before, last.at)
    same = (last.actor_id, last.reason, added) == (
        by.pk,
        data["reason"],
        timedelta(minutes=data["minutes"]),
    )
    return same and now - last.at < SAME_PRESS


@_refusing
def _reopen(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    attempts.reopen(attempt.pk, minutes=data["minutes"], by=by, reason=data["reason"], now=now)
    return f"Reopened for {data['minutes']} minutes. Reason: {data['reason']}"


@_refusing
@transaction.atomic
def _regrade(attempt: Attempt, data: dict[str, Any], by: User, now: datetime) -> str:
    submission = submission_of(attempt, 2) or submission_of(attempt, 1)
    if submission is None:
        raise Refused("Nothing was handed in yet, so there is nothing to grade.")
    if not attempt.exercise.is_measured:
        raise Refused("Pseudocode was asked for: there is nothing to run, and people score it.")
    Submission.objects.select_for_update().get(pk=submission.pk)
    if submission.grading_runs.filter(finished_at=None).exists():
        raise Refused("A grading of this answer is waiting or running: wait until it has ended.")
    request_grading(submission, by=by, reason=data["reason"], now=now)
    return f"Asked for another grading of round {submission.round}. Reason: {data['reason']}"


@_refusing
def _correct(card: Evaluation, data: dict[str, Any], by: User, now: datetime) -> str:
    if Evaluation.objects.filter(supersedes=card, submitted_at=None).exists():
        raise DoneBefore(CORRECTION_OPEN)
    try:
        evaluations.correct(card, reason=data["reason"], now=now)
    except NotPossible:
        if Evaluation.objects.filter(supersedes=card).exists():
            raise DoneBefore(CORRECTION_OPEN) from None
        raise
    return f"Opened a correction of the scorecard. Reason: {data['reason']}"


ASSIGN = Verb(
    title="Ask somebody to score",
    explanation=(
        "They see the answer under the candidate's pseudonym and score it on their own: no name, "
        "no clock, no machine scores and no other scorecard until theirs is in."
    ),
    button="Assign",
    permission="reviews.add_assignment",
    perform=_assign,
    form=AssignForm,
)
WITHDRAW = Verb(
    title="Withdraw the assignment",
    explanation="They no longer see this attempt. This is possible until they begin a scorecard.",
    button="Withdraw",
    permission="reviews.add_assignment",
    perform=_withdraw,
    grave=True,
)
EXTEND = Verb(
    title="Extend the time",
    explanation=(
        "The candidate's page shows the new time within seconds, without a reload. The change "
        "and its reason stay in the attempt's history."
    ),
    button="Extend",
    permission="assessments.add_timeevent",
    perform=_extend,
    form=MinutesForm,
)
REOPEN = Verb(
    title="Reopen the attempt",
    explanation=(
        "The candidate can go on from their last answer for the minutes you give. What was handed "
        "in stays on record, marked as superseded; the new answer is graded again."
    ),
    button="Reopen",
    permission="assessments.add_timeevent",
    perform=_reopen,
    form=MinutesForm,
)
REGRADE = Verb(
    title="Grade again",
    explanation=(
        "The newest answer is run again on its hidden workloads. Earlier gradings stay as they "
        "are; the newest finished one counts as evidence."
    ),
    button="Grade again",
    permission="assessments.add_gradingrun",
    perform=_regrade,
)
CORRECT = Verb(
    title="Correct your scorecard",
    explanation=(
        "A new scorecard opens as a copy of yours. The submitted one stays on record beside it, "
        "with the reason you give."
    ),
    button="Open a correction",
    permission="reviews.add_evaluation",
    perform=_correct,
)


def _page(attempt: Attempt) -> str:
    return reverse("admin:attempt", args=[attempt.pk])


def assign(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = own_attempt_for(request, pk, ASSIGN.permission)
    people = free_evaluators(attempt, viewer, timezone.now())
    return confirm(request, attempt, ASSIGN, back=_page(attempt), people=people)


def withdraw(request: HttpRequest, pk: UUID, evaluator: int) -> HttpResponse:
    _, attempt = own_attempt_for(request, pk, WITHDRAW.permission)
    assignment = attempt.assignments.filter(evaluator=evaluator).first()
    if assignment is None:
        raise Http404
    return confirm(request, assignment, WITHDRAW, back=_page(attempt))


def extend(request: HttpRequest, pk: UUID) -> HttpResponse:
    _, attempt = own_attempt_for(request, pk, EXTEND.permission)
    return confirm(request, attempt, EXTEND, back=_page(attempt))


def reopen(request: HttpRequest, pk: UUID) -> HttpResponse:
    _, attempt = own_attempt_for(request, pk, REOPEN.permission)
    return confirm(request, attempt, REOPEN, back=_page(attempt))


def regrade(request: HttpRequest, pk: UUID) -> HttpResponse:
    _, attempt = own_attempt_for(request, pk, REGRADE.permission)
    return confirm(request, attempt, REGRADE, back=_page(attempt))


def correct(request: HttpRequest, pk: UUID, round: int) -> HttpResponse:
    viewer, attempt = attempt_for(request, pk, CORRECT.permission)
    cards = Evaluation.objects.current().of(attempt, round).filter(evaluator=viewer)
    card = cards.select_related("submission").first()
    if card is None:
        raise Http404
    back = reverse("admin:score", args=[attempt.pk, round])
    if card.supersedes_id and not card.submitted_at:
        messages.info(request, CORRECTION_OPEN)
        return HttpResponseRedirect(back)
    return confirm(request, card, CORRECT, back=back)
