"""How candidates of an opening stand by the scores a viewer may see: means, intervals, the combination.

The combination is mechanical and the same for everybody: rating of an exercise, mean of the exercises,
mean of the interviews, then both by the opening's weight. No order of candidates follows from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Exists,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)

from accounts.models import User
from hiring.models import Invitation, Opening
from library.models import Criterion
from reviews.fairness.intervals import Estimate, Spread, estimate, mean_of, pooled, weighted
from reviews.models import Evaluation, InterviewScore, InterviewSession, Rating
from reviews.visibility import attempts_visible_to

ONE_TALK = "one interview score: no interval"
SAMPLE = 100  # candidates: some hundred second opinions say how far people lie apart


@dataclass(frozen=True)
class CandidateScore:
    """One candidate of an opening. `exercises`: by the exercise's key, only those with a rating."""

    exercises: dict[int, Estimate] = field(default_factory=dict)
    work: Estimate = field(default_factory=Estimate)
    interviews: Estimate = field(default_factory=Estimate)
    combined: Estimate = field(default_factory=Estimate)


def frozen_cards(viewer: User, opening: Opening) -> QuerySet[Evaluation]:
    """The opening's submitted scorecards that count and that the viewer may see."""
    rows = Evaluation.objects.visible_to(viewer).current().submitted()
    return rows.filter(submission__attempt__invitation__opening=opening).order_by()


def rubric_facts(opening: Opening) -> list[dict[str, Any]]:
    """Key, title, round and weight of all criteria that the opening's scorecards may hold."""
    packs = set(opening.exercises.values_list("pack_name", flat=True))
    rows = Criterion.objects.filter(rubric__pack_name__in=packs)
    names = ("rubric", "key", "title", "dimension", "round", "weight")
    return list(rows.order_by("rubric__version", "round", "position", "pk").values(*names))


def counted(criteria: Iterable[dict[str, Any]]) -> Q:
    """Which ratings make the exercise's rating.

    The first answer's criteria as rated in round 1, the revision's own criteria as rated in
    round 2. What round 2 says again about the first answer's criteria shows the change, and is
    not counted twice.
    """
    keys = defaultdict(set)
    for row in criteria:
        if row["round"] == 2:
            keys[row["rubric"]].add(row["key"])
    second = Q(pk__in=[])
    for rubric, own in keys.items():
        second |= Q(evaluation__rubric=rubric, criterion_key__in=own)
    return Q(evaluation__submission__round=1) | (Q(evaluation__submission__round=2) & second)


def weight_of(criteria: Iterable[dict[str, Any]]) -> Any:
    """The weight of a rating: 1 but where its rubric says otherwise."""
    special = [
        When(
            evaluation__rubric=row["rubric"],
            criterion_key=row["key"],
            then=Value(float(row["weight"])),
        )
        for row in criteria
        if row["weight"] != 1
    ]
    if not special:
        return Value(1.0)
    return Case(*special, default=Value(1.0), output_field=FloatField())


def exercise_marks(
    viewer: User,
    opening: Opening,
    *,
    candidates: Collection[int] | None = None,
    exercise: int | None = None,
) -> dict[tuple[int, int], list[float]]:
    """(candidate, exercise) -> each evaluator's weighted mean level, 1 to 5, in no order."""
    at = "submission__attempt__"
    cards = frozen_cards(viewer, opening)
    if candidates is not None:
        cards = cards.filter(**{f"{at}invitation__candidate__in": candidates})
    if exercise is not None:
        cards = cards.filter(**{f"{at}exercise": exercise})
    # the keys first: asked for at once, SQLite would read every rating there is
    known = cards.values_list("pk", f"{at}invitation__candidate", f"{at}exercise", "evaluator")
    whose = {pk: (candidate, number, who) for pk, candidate, number, who in known}
    criteria = rubric_facts(opening)
    weight = weight_of(criteria)
    ratings = Rating.objects.filter(counted(criteria), evaluation__in=whose, level__isnull=False)
    sums: dict[tuple[int, int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for card, total, weights in (
        ratings.order_by()
        .values_list("evaluation")
        .annotate(
            total=Sum(F("level") * weight, output_field=FloatField()),
            weights=Sum(weight, output_field=FloatField()),
        )
    ):
        held = sums[whose[card]]
        held[0] += total
        held[1] += weights
    marks: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (candidate, number, _), (total, weights) in sums.items():
        if weights:
            marks[candidate, number].append(total / weights)
    return marks


def interview_marks(
    viewer: User, opening: Opening, *, candidates: Collection[int] | None = None
) -> dict[int, list[float]]:
    """Candidate -> the mean of each interview with questions, and each score given without."""
    marks: dict[int, list[float]] = defaultdict(list)
    talks = InterviewSession.objects.visible_to(viewer).current().filter(opening=opening)
    given = InterviewScore.objects.visible_to(viewer).current().filter(opening=opening)
    if candidates is not None:
        talks = talks.filter(candidate__in=candidates)
        given = given.filter(candidate__in=candidates)
    talks = talks.exclude(submitted_at=None).order_by()
    means = talks.values_list("candidate", "pk").annotate(mean=Avg("asked__score"))
    for candidate, _, mean in means:
        if mean is not None:
            marks[candidate].append(float(mean))
    for candidate, score in given.values_list("candidate", "score"):
        marks[candidate].append(float(score))
    return marks


def sample(viewer: User, opening: Opening) -> list[int]:
    """The candidates whose scorecards tell how far evaluators lie apart: the first of them."""
    attempts = attempts_visible_to(viewer).filter(invitation=OuterRef("pk")).order_by()
    scored = attempts.filter(submissions__evaluations__submitted_at__isnull=False)
    links = Invitation.objects.filter(Exists(scored), opening=opening).order_by("candidate")
    return list(links.values_list("candidate", flat=True)[:SAMPLE])


def spreads_of(viewer: User, opening: Opening) -> dict[int, Spread]:
    """Exercise -> how far evaluators of one answer lie apart, over the scorecards one may see."""
    of_exercise: dict[int, list[list[float]]] = defaultdict(list)
    known = exercise_marks(viewer, opening, candidates=sample(viewer, opening))
    for (_, exercise), given in known.items():
        of_exercise[exercise].append(given)
    return {exercise: pooled(groups) for exercise, groups in of_exercise.items()}


def candidate_scores(
    viewer: User, opening: Opening, *, candidates: Collection[int] | None = None
) -> dict[int, CandidateScore]:
    """The scores of each of these candidates, or of all, who have anything to show."""
    marks = exercise_marks(viewer, opening, candidates=candidates)
    spreads = spreads_of(viewer, opening)
    rated: dict[int, dict[int, Estimate]] = defaultdict(dict)
    for (candidate, exercise), given in marks.items():
        rated[candidate][exercise] = estimate(given, spreads.get(exercise, Spread()))
    talks = interview_marks(viewer, opening)
    spread = pooled(talks.values())
    wanted = {*rated, *talks}
    return {
        candidate: _score_of(
            opening, rated[candidate], estimate(talks.get(candidate, []), spread, one=ONE_TALK)
        )
        for candidate in (wanted if candidates is None else wanted.intersection(candidates))
    }


def _score_of(
    opening: Opening, exercises: dict[int, Estimate], interviews: Estimate
) -> CandidateScore:
    work = mean_of(list(exercises.values()))
    return CandidateScore(exercises, work, interviews, combine(opening, work, interviews))


def combine(opening: Opening, work: Estimate, interviews: Estimate) -> Estimate:
    """Both parts by the opening's weight; nothing while one of them is missing."""
    share = opening.work_sample_weight / 100
    return weighted([(share, work), (1 - share, interviews)])
