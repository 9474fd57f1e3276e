"""The verbs of scoring: assign, begin, rate, submit, correct."""

from __future__ import annotations

from datetime import datetime
from statistics import fmean
from typing import Any

from django.db import transaction

from accounts.models import User
from assessments.models import Attempt
from library.models import HIGHEST, LOWEST
from library.packs import latest_rubric, load_rubric, pack_of
from reviews.models import Assignment, Evaluation, Rating
from reviews.visibility import may_be_asked_to_score


class NotPossible(Exception):
    """What was asked cannot be done now; the text says why and what to do."""


def assign(*, attempt: Attempt, evaluator: User, by: User, now: datetime) -> Assignment:
    """Ask somebody to score an attempt; asking twice changes nothing."""
    if not User.objects.filter(may_be_asked_to_score(), pk=evaluator.pk).exists():
        raise NotPossible("Only interviewers and hiring managers who are active can score.")
    assignment, _ = Assignment.objects.get_or_create(
        attempt=attempt,
        evaluator=evaluator,
        defaults={"assigned_by": by, "assigned_at": now},
    )
    return assignment


@transaction.atomic
def withdraw(assignment: Assignment) -> None:
    """Take back the request to score; somebody who began a scorecard stays on record."""
    begun = Evaluation.objects.filter(attempt=assignment.attempt, evaluator=assignment.evaluator)
    if begun.exists():
        raise NotPossible("They have begun a scorecard, so the assignment stays on record.")
    Assignment.objects.filter(pk=assignment.pk).delete()


@transaction.atomic
def begin(*, attempt: Attempt, round: int, evaluator: User, now: datetime) -> Evaluation:
    """The evaluator's present scorecard for a round, made on first use."""
    if not attempt.assignments.filter(evaluator=evaluator).exists():
        raise NotPossible("Only people who are assigned to this attempt can score it.")
    if not attempt.submissions.filter(round=round, superseded_at=None).exists():
        raise NotPossible(f"Round {round} was not handed in yet: there is nothing to score.")
    latest = (
        Evaluation.objects.current()
        .filter(attempt=attempt, round=round, evaluator=evaluator)
        .first()
    )
    if latest:
        return latest
    name = attempt.pack_version.name
    rubric = latest_rubric(name, attempt.level) or load_rubric(
        pack_of(name), attempt.level, now=now
    )
    return Evaluation.objects.create(
        attempt=attempt,
        round=round,
        evaluator=evaluator,
        rubric=rubric,
        snapshot=rubric.snapshot(),
        created_at=now,
    )


@transaction.atomic
def rate(
    evaluation: Evaluation, *, criterion: str, level: int | None, note: str, now: datetime
) -> Rating:
    """Set the level and note of one criterion while the scorecard is open."""
    open_card = Evaluation.objects.select_for_update().get(pk=evaluation.pk)
    if open_card.submitted_at:
        raise NotPossible("This scorecard is submitted. Write a correction instead.")
    known = {item["key"]: item for item in open_card.criteria()}
    if criterion not in known:
        raise NotPossible("This rubric has no such criterion.")
    if level is not None and not LOWEST <= level <= HIGHEST:
        raise NotPossible(f"A level is a number from {LOWEST} to {HIGHEST}.")
    text = known[criterion]["levels"].get(str(level), "") if level else ""
    rating, _ = Rating.objects.update_or_create(
        evaluation=open_card,
        criterion_key=criterion,
        defaults={"level": level, "level_text": text, "note": note, "rated_at": now},
    )
    return rating


def missing(evaluation: Evaluation) -> list[str]:
    """Titles of the criteria that have no level yet."""
    rated = set(evaluation.ratings.exclude(level=None).values_list("criterion_key", flat=True))
    return [item["title"] for item in evaluation.criteria() if item["key"] not in rated]


@transaction.atomic
def submit(evaluation: Evaluation, *, now: datetime) -> None:
    """Freeze a complete scorecard; from then on its evaluator may see what others wrote."""
    if gaps := missing(evaluation):
        raise NotPossible(f"Still without a level: {', '.join(gaps)}.")
    changed = Evaluation.objects.filter(pk=evaluation.pk, submitted_at=None).update(
        submitted_at=now
    )
    if not changed:
        raise NotPossible("This scorecard was submitted before.")


@transaction.atomic
def correct(evaluation: Evaluation, *, reason: str, now: datetime) -> Evaluation:
    """A new, open scorecard that starts as a copy; the submitted one stays on record."""
    if not evaluation.submitted_at:
        raise NotPossible("An open scorecard needs no correction: change it.")
    if not reason.strip():
        raise NotPossible("Say in a few words why the scorecard is corrected.")
    if evaluation.corrections.exists():
        raise NotPossible("This scorecard was corrected before: correct the newest one.")
    copy = Evaluation.objects.create(
        attempt=evaluation.attempt,
        round=evaluation.round,
        evaluator=evaluation.evaluator,
        rubric=evaluation.rubric,
        snapshot=evaluation.snapshot,
        created_at=now,
        supersedes=evaluation,
        correction_reason=reason.strip(),
    )
    for rating in evaluation.ratings.all():
        rating.pk = None
        rating.evaluation = copy
        rating.save(force_insert=True)
    return copy


def mean_rating(evaluation: Evaluation) -> float | None:
    """Weighted mean level over the rated criteria, 1 to 5; None where nothing is rated."""
    weights: dict[str, Any] = {item["key"]: float(item["weight"]) for item in evaluation.criteria()}
    rated = [
        (rating.level, weights[rating.criterion_key])
        for rating in evaluation.ratings.all()
        if rating.level is not None and rating.criterion_key in weights
    ]
    if not rated or not any(weight for _, weight in rated):
        return None
    return fmean([level for level, _ in rated], weights=[weight for _, weight in rated])
