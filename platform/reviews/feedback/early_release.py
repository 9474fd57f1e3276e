"""When feedback may go out: all scorecards are in and agree, or two named people say why it goes before.

A candidate who revises by feedback that a later scorecard or a discussion takes back was sent the wrong way.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, Submission
from reviews.models import EarlyRelease, Evaluation, Feedback
from reviews.scoring.agreement import Agreement, agreement, rule_of

DISPUTED = (Agreement.ASK, Agreement.ASKED, Agreement.DISCUSS)
ASK_TWO = "Wait for it, or let it go out early below: that needs a reason and a second person."
OWN_CARD = "Submit your own scores of the first answer before you give feedback."


def open_matters(attempt: Attempt) -> list[str]:
    """What speaks against releasing now, each as a sentence; empty: nothing does."""
    cards = list(
        Evaluation.objects.current()
        .submitted()
        .of(attempt, 1)
        .select_related("submission")
        .prefetch_related("ratings")
    )
    done = {card.evaluator_id for card in cards}
    rows = attempt.assignments.exclude(evaluator__in=done).select_related("evaluator")
    owing = [str(row.evaluator) for row in rows.order_by("pk")]
    found = [f"{who} owes a scorecard of the first answer." for who in owing]
    answer = Submission.objects.filter(attempt=attempt, round=1, superseded_at=None).first()
    outcomes = list(answer.discussions.all()) if answer else []
    rule = rule_of(attempt.invitation.opening)
    if agreement(cards, rule, outcomes, is_waiting=bool(owing)) in DISPUTED:
        found.append("The scorecards are far apart and the difference is not settled.")
    return found


def present_request(feedback: Feedback) -> EarlyRelease | None:
    """The newest request to let it go out early."""
    return feedback.early_releases.select_related("asked_by", "agreed_by").last()


def check(feedback: Feedback) -> None:
    """NotPossible while something is open that two people have not said may stay so."""
    matters = open_matters(feedback.attempt)
    asked = present_request(feedback)
    covered = asked.matters if asked and asked.agreed_by_id else []
    left = [sentence for sentence in matters if sentence not in covered]
    if left:
        raise NotPossible(f"{' '.join(left)} {ASK_TWO}")


@transaction.atomic
def ask(feedback: Feedback, *, reason: str, by: User, now: datetime) -> EarlyRelease:
    """Ask that it goes out although something is open; somebody else has to agree."""
    _may_take_part(feedback, by)
    matters = open_matters(feedback.attempt)
    if not matters:
        raise NotPossible("Nothing is open: release the feedback as it is.")
    if not reason.strip():
        raise NotPossible("Write why it cannot wait: the reason stays on record with your name.")
    latest = present_request(feedback)
    if latest and (latest.asked_by, latest.reason, latest.matters) == (by, reason.strip(), matters):
        return latest
    return feedback.early_releases.create(
        matters=matters, reason=reason.strip(), asked_by=by, asked_at=now
    )


@transaction.atomic
def agree(feedback: Feedback, *, request: int, by: User, now: datetime) -> EarlyRelease:
    """The second person agrees to the request they have read."""
    _may_take_part(feedback, by)
    asked = present_request(feedback)
    if asked is None or asked.pk != request:
        raise NotPossible("The request has changed meanwhile: read it again on this page.")
    if asked.asked_by == by:
        raise NotPossible("You asked for it yourself: a second person has to agree.")
    if asked.agreed_by_id is None:
        asked.agreed_by, asked.agreed_at = by, now
        asked.save(update_fields=["agreed_by", "agreed_at"])
    return asked


def owes_card(attempt: Attempt, viewer: User) -> bool:
    """Whether the viewer is to score the first answer and has not: what others say is not for them yet."""
    own = Evaluation.objects.of(attempt, 1).submitted().filter(evaluator=viewer)
    mine = attempt.assignments.filter(evaluator=viewer)
    return mine.exists() and not own.filter(submission__superseded_at=None).exists()


def _may_take_part(feedback: Feedback, by: User) -> None:
    Attempt.objects.select_for_update().get(pk=feedback.attempt_id)
    if feedback.released_at:
        raise NotPossible("This feedback was released before.")
    if owes_card(feedback.attempt, by):
        raise NotPossible(OWN_CARD)
