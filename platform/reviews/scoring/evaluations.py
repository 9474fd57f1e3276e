"""The verbs of scoring: assign, begin, rate, submit, correct."""

from __future__ import annotations

from datetime import datetime
from statistics import fmean
from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, Submission
from library.models import HIGHEST, LOWEST, PackVersion, Rubric
from library.packs import latest_rubric, load_rubric, pack_of
from reviews.happened import asked_to_score, card_in
from reviews.models import Assignment, Evaluation, Rating
from reviews.visibility import may_be_asked_to_score

NOT_ONESELF = (
    "Nobody puts themselves on a panel or takes themselves off it: "
    "ask an administrator or a recruiter to do it."
)


@transaction.atomic
def assign(*, attempt: Attempt, evaluator: User, by: User, now: datetime) -> Assignment:
    """Ask somebody else to score an attempt; asking twice changes nothing."""
    if not User.objects.filter(may_be_asked_to_score(now), pk=evaluator.pk).exists():
        raise NotPossible("Only interviewers, hiring managers and guests who are active can score.")
    if by == evaluator:
        raise NotPossible(NOT_ONESELF)
    assignment, is_new = Assignment.objects.get_or_create(
        attempt=attempt,
        evaluator=evaluator,
        defaults={"assigned_by": by, "assigned_at": now},
    )
    if is_new:
        asked_to_score.send(Assignment, assignment=assignment, now=now)
    return assignment


@transaction.atomic
def withdraw(assignment: Assignment, *, by: User) -> None:
    """Take back the request to score; somebody who began a scorecard stays on record.

    Whoever scores sees no name and no measures, so leaving a panel is not their own choice: they
    could look and come back.
    """
    if by == assignment.evaluator:
        raise NotPossible(NOT_ONESELF)
    held = Assignment.objects.select_for_update().filter(pk=assignment.pk)
    if not held.exists():
        raise NotPossible("This assignment was withdrawn before.")
    begun = Evaluation.objects.of(assignment.attempt).filter(evaluator=assignment.evaluator)
    if begun.exists():
        raise NotPossible("They have begun a scorecard, so the assignment stays on record.")
    held.delete()


@transaction.atomic
def begin(*, attempt: Attempt, round: int, evaluator: User, now: datetime) -> Evaluation:
    """The evaluator's scorecard of a round's present answer, made on first use.

    The assignment's row is locked meanwhile, so that a double click makes one scorecard.
    """
    mine = Assignment.objects.select_for_update().filter(attempt=attempt, evaluator=evaluator)
    if mine.first() is None:
        raise NotPossible("Only people who are assigned to this attempt can score it.")
    # not through attempt.submissions, which may have been read before somebody reopened it
    answers = Submission.objects.filter(attempt=attempt, round=round, superseded_at=None)
    submission = answers.defer("body").first()
    if submission is None:
        raise NotPossible(f"Round {round} was not handed in yet: there is nothing to score.")
    latest = submission.evaluations.current().filter(evaluator=evaluator).first()
    if latest:
        return latest
    if round == 2:
        _check_first_is_scored(attempt, evaluator)
    rubric = _rubric_for(attempt, now)
    return Evaluation.objects.create(
        submission=submission,
        evaluator=evaluator,
        rubric=rubric,
        snapshot=rubric.snapshot(),
        created_at=now,
    )


def _check_first_is_scored(attempt: Attempt, evaluator: User) -> None:
    """Round 2 rates the first answer's criteria again: others' scores of it would tell of round 1."""
    first = Submission.objects.filter(attempt=attempt, round=1, superseded_at=None)
    own = Evaluation.objects.of(attempt, 1).submitted().filter(evaluator=evaluator)
    if first.exists() and not own.filter(submission__superseded_at=None).exists():
        raise NotPossible(
            "Score the first answer first: the revision is rated against it, and other people's "
            "scores of the revision are shown to you with your own."
        )


def _rubric_for(attempt: Attempt, now: datetime) -> Rubric:
    name, level = attempt.pack_version.name, attempt.level
    if found := latest_rubric(name, level):
        return found
    # two first scorecards at one moment load it one after the other
    PackVersion.objects.select_for_update().get(pk=attempt.pack_version.pk)
    return latest_rubric(name, level) or load_rubric(pack_of(name), level, now=now)


def _open_card(evaluation: Evaluation) -> Evaluation:
    """The scorecard, locked until the transaction ends; NotPossible where it is not open."""
    card = (
        Evaluation.objects.select_for_update(of=("self",))
        .select_related("submission")
        .get(pk=evaluation.pk)
    )
    if card.submitted_at:
        raise NotPossible("This scorecard was submitted before. Write a correction instead.")
    if card.submission.superseded_at:
        raise NotPossible(
            "The answer was replaced when the attempt was reopened: open the page again."
        )
    return card


def check_shown(card: Evaluation, shown: str) -> None:
    """Refuse ratings from a page that shows another scorecard: its answer was replaced since."""
    if shown != str(card.pk):
        raise NotPossible(
            "This page no longer shows your present scorecard: open it again before you go on."
        )


@transaction.atomic
def rate(
    evaluation: Evaluation, *, criterion: str, level: int | None, note: str, now: datetime
) -> Rating:
    """Set the level and note of one criterion while the scorecard is open."""
    open_card = _open_card(evaluation)
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
    card = _open_card(evaluation)  # first, so that no level is cleared while the gaps are counted
    if gaps := missing(card):
        raise NotPossible(f"Still without a level: {', '.join(gaps)}.")
    card.submitted_at = now
    card.save(update_fields=["submitted_at"])
    card_in.send(Evaluation, evaluation=card, now=now)


@transaction.atomic
def correct(evaluation: Evaluation, *, reason: str, now: datetime) -> Evaluation:
    """A new, open scorecard that starts as a copy; the submitted one stays on record."""
    rows = Evaluation.objects.select_for_update(of=("self",)).select_related("submission")
    evaluation = rows.get(pk=evaluation.pk)
    if not evaluation.submitted_at:
        raise NotPossible("An open scorecard needs no correction: change it.")
    if not reason.strip():
        raise NotPossible("Say in a few words why the scorecard is corrected.")
    if evaluation.submission.superseded_at:
        raise NotPossible("It is about an answer that was replaced, so it stays as it is.")
    if evaluation.corrections.exists():
        raise NotPossible("This scorecard was corrected before: correct the newest one.")
    copy = Evaluation.objects.create(
        submission=evaluation.submission,
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
