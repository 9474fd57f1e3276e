"""Candidates of an opening side by side: a page of rows in a chosen order, and no ranking.

Whoever has no rating comes last in either direction; who scored lowest is named by nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KT

from accounts.models import User
from assessments.models import GradingRun, Submission
from hiring.models import Exercise, Opening
from library.models import Rubric
from reviews.decisions.candidate_scores import (
    CandidateScore,
    candidate_scores,
    exercise_marks,
    frozen_cards,
    interview_marks,
    rubric_facts,
)
from reviews.evidence import automation
from reviews.fairness.intervals import Estimate, estimate, pooled
from reviews.models import Decision, Evaluation, Rating, own_card_in
from reviews.visibility import attempts_visible_to, shown_name, with_viewer

PAGE = 25
SORTED_WHOLE = 200  # candidates: more are not sorted by what needs everybody's every scorecard
FIRST = "candidate"


@dataclass
class Person:
    """One row. `marks`: by criterion for one exercise; `hidden`: rounds the viewer still owes."""

    candidate: int
    pseudonym: str
    name: str = ""
    candidate_score: CandidateScore = field(default_factory=CandidateScore)
    attempts: dict[int, Any] = field(default_factory=dict)
    hidden: bool = False
    decision: Decision | None = None
    criteria: dict[str, list[int]] = field(default_factory=dict)
    evaluators: list[float] = field(default_factory=list)
    rating: Estimate = field(default_factory=Estimate)
    machine: float | None = None

    @property
    def attempt(self) -> Any:
        """Any attempt of theirs: what links about the person go by."""
        return next(iter(self.attempts.values()), None)


@dataclass(frozen=True)
class Order:
    """What rows are sorted by: a key of the page's columns, upwards or downwards."""

    key: str = FIRST
    down: bool = False

    @classmethod
    def asked(cls, text: str, known: Iterable[str]) -> Order:
        """From ?sort=key or ?sort=-key; what is not known sorts by the pseudonym."""
        key = text.removeprefix("-")
        return cls(key, text.startswith("-")) if key in known else cls()

    def then(self, key: str) -> str:
        """The value of ?sort= that a column's heading leads to."""
        if key == self.key:
            return key if self.down else f"-{key}"
        return key if key == FIRST else f"-{key}"


def people_of(viewer: User, opening: Opening) -> list[tuple[int, str]]:
    """(candidate, pseudonym) of all whose attempts the viewer may open, by pseudonym."""
    mine = attempts_visible_to(viewer).filter(invitation__opening=opening).order_by()
    at = "invitation__candidate"
    return sorted(
        mine.values_list(at, f"{at}__pseudonym").distinct(), key=lambda row: (row[1], row[0])
    )


def in_order(
    people: list[tuple[int, str]], values: Mapping[int, float | None], *, down: bool
) -> list[tuple[int, str]]:
    """By value, then by pseudonym; whoever has no value comes last."""
    known = [row for row in people if values.get(row[0]) is not None]
    rest = [row for row in people if values.get(row[0]) is None]
    known.sort(key=lambda row: values[row[0]] or 0.0, reverse=down)
    return known + rest


def means(marks: dict[Any, list[float]]) -> dict[Any, float | None]:
    return {key: sum(given) / len(given) for key, given in marks.items() if given}


def overall_values(viewer: User, opening: Opening, key: str) -> dict[int, float | None]:
    """What the overall table is sorted by, for everybody: {candidate: value}."""
    if key == "interviews":
        return means(interview_marks(viewer, opening))
    if key in ("work", "combined"):
        found = candidate_scores(viewer, opening)
        return {pk: getattr(row, key).value for pk, row in found.items()}
    exercise = int(key.removeprefix("exercise-"))
    marks = exercise_marks(viewer, opening, exercise=exercise)
    return {pk: value for (pk, _), value in means(marks).items()}


def overall(viewer: User, opening: Opening, rows: list[tuple[int, str]]) -> list[Person]:
    """The page's candidates with their exercises, interviews and the combination."""
    found = people_rows(viewer, opening, rows)
    known = candidate_scores(viewer, opening, candidates=[row.candidate for row in found])
    for row in found:
        row.candidate_score = known.get(row.candidate, CandidateScore())
    return found


def of_exercise(
    viewer: User,
    opening: Opening,
    exercise: Exercise,
    rows: list[tuple[int, str]],
    marks: dict[tuple[int, int], list[float]],
) -> list[Person]:
    """The page's candidates with every evaluator's level for each criterion of one exercise.

    `marks` are everybody's of the exercise: the spread is pooled over all of them.
    """
    found = people_rows(viewer, opening, rows)
    spread = pooled(marks.values())
    keys = [row.candidate for row in found]
    levels = _levels(frozen_cards(viewer, opening), exercise, keys)
    scores = machine_scores(viewer, found, exercise)
    for row in found:
        row.evaluators = sorted(marks.get((row.candidate, exercise.pk), []))
        row.rating = estimate(row.evaluators, spread)
        row.criteria = levels.get(row.candidate, {})
        row.machine = scores.get(row.candidate)
    return found


def people_rows(viewer: User, opening: Opening, rows: list[tuple[int, str]]) -> list[Person]:
    """The rows with names, attempts and decisions, as far as the viewer may know them."""
    found = {pk: Person(pk, pseudonym, f"Candidate {pseudonym}") for pk, pseudonym in rows}
    owed = Submission.objects.filter(
        ~own_card_in(viewer, attempt="attempt", round="round"),
        attempt=OuterRef("pk"),
        superseded_at=None,
    )
    attempts = with_viewer(attempts_visible_to(viewer), viewer).annotate(owed=Exists(owed))
    attempts = attempts.filter(invitation__opening=opening, invitation__candidate__in=found)
    for attempt in attempts.select_related("invitation__candidate", "exercise").order_by("pk"):
        person = found[attempt.invitation.candidate_id]
        person.attempts[attempt.exercise_id] = attempt
        person.name = shown_name(attempt)
        person.hidden |= attempt.scores_it and attempt.owed  # type: ignore[attr-defined]
    for person in found.values():  # one exercise that they score hides the name in all
        if any(not attempt.named for attempt in person.attempts.values()):
            person.name = f"Candidate {person.pseudonym}"
    for pk, decision in _decisions(viewer, opening, list(found.values())).items():
        found[pk].decision = decision
    return list(found.values())


def _decisions(viewer: User, opening: Opening, people: list[Person]) -> dict[int, Decision]:
    """The newest decision of each; none of somebody whom the viewer still has to score."""
    if not viewer.has_perm("reviews.view_decision"):
        return {}
    keys = [row.candidate for row in people if not row.hidden and _may_read(row)]
    rows = Decision.objects.filter(opening=opening, candidate__in=keys).order_by("decided_at")
    return {row.candidate_id: row for row in rows.select_related("decided_by")}


def _may_read(person: Person) -> bool:
    return all(
        not attempt.scores_it or attempt.awaiting_round != 1 for attempt in person.attempts.values()
    )


def _levels(
    cards: QuerySet[Evaluation], exercise: Exercise, candidates: list[int]
) -> dict[int, dict[str, list[int]]]:
    """Candidate -> criterion -> the levels given, in ascending order."""
    at = "submission__attempt__"
    rows = cards.filter(
        **{f"{at}exercise": exercise, f"{at}invitation__candidate__in": candidates}
    ).values_list("pk", f"{at}invitation__candidate", "submission__round", "rubric")
    whose = {pk: rest for pk, *rest in rows}
    second = second_keys(exercise.opening)
    ratings = Rating.objects.filter(evaluation__in=whose, level__isnull=False)
    found: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for card, key, level in ratings.order_by("level").values_list(
        "evaluation", "criterion_key", "level"
    ):
        candidate, round, rubric = whose[card]
        if (round == 2) == ((rubric, key) in second):
            found[candidate][key].append(level or 0)
    return found


def second_keys(opening: Opening) -> set[tuple[int, str]]:
    """(rubric, key) of the criteria that rate the revision."""
    return {(row["rubric"], row["key"]) for row in rubric_facts(opening) if row["round"] == 2}


def criterion_marks(
    viewer: User, opening: Opening, exercise: Exercise, key: str
) -> dict[int, list[float]]:
    """Candidate -> the levels that everybody gave for one criterion."""
    second = {rubric for rubric, own in second_keys(opening) if own == key}
    round = Q(submission__round=2, rubric__in=second)
    round |= Q(submission__round=1) & ~Q(rubric__in=second)
    cards = frozen_cards(viewer, opening).filter(round, submission__attempt__exercise=exercise)
    whose = dict(cards.values_list("pk", "submission__attempt__invitation__candidate"))
    rows = Rating.objects.filter(evaluation__in=whose, criterion_key=key, level__isnull=False)
    marks: dict[int, list[float]] = defaultdict(list)
    for card, level in rows.order_by().values_list("evaluation", "level"):
        marks[whose[card]].append(float(level or 0))
    return marks


def criteria_of(opening: Opening, exercise: Exercise) -> list[tuple[str, str]]:
    """(key, title) of the exercise's criteria, in the newest rubric's order, then older ones."""
    own = Rubric.objects.filter(pack_name=exercise.pack_name, level=exercise.level)
    numbers = list(own.order_by("-version").values_list("pk", flat=True))
    rows = [row for row in rubric_facts(opening) if row["rubric"] in numbers]
    rows.sort(key=lambda row: numbers.index(row["rubric"]))
    found: dict[str, str] = {}
    for row in rows:
        found.setdefault(row["key"], row["title"])
    return list(found.items())


def gradings_of(viewer: User, people: list[Person], exercise: Exercise) -> QuerySet[GradingRun]:
    """The finished gradings of their first answers that the viewer may see, oldest first."""
    whose = _attempts_to_show(viewer, people, exercise)
    return GradingRun.objects.filter(
        submission__attempt__in=whose,
        submission__round=1,
        submission__superseded_at=None,
        finished_at__isnull=False,
        report__isnull=False,
    ).order_by("pk")


def _attempts_to_show(viewer: User, people: list[Person], exercise: Exercise) -> dict[UUID, int]:
    """Attempt -> candidate, where the viewer may see measures of the first answer."""
    if not viewer.has_perm("assessments.view_gradingrun"):
        return {}
    return {
        attempt.pk: row.candidate
        for row in people
        for attempt in [row.attempts.get(exercise.pk)]
        if attempt and not (attempt.scores_it and attempt.owed)
    }


def machine_scores(viewer: User, people: list[Person], exercise: Exercise) -> dict[int, float]:
    """Candidate -> the machine's score of the first answer."""
    whose = _attempts_to_show(viewer, people, exercise)
    rows = gradings_of(viewer, people, exercise)
    found = {
        whose[pk]: score
        for pk, score in rows.values_list("submission__attempt", KT("report__score"))
    }
    return {pk: float(score) for pk, score in found.items() if score is not None}


def workload_scores(
    viewer: User, people: list[Person], exercise: Exercise
) -> dict[int, list[float]]:
    """Candidate -> the score of the first answer on each hidden workload, each from its own seed."""
    whose = _attempts_to_show(viewer, people, exercise)
    found: dict[int, list[float]] = {}
    rows = gradings_of(viewer, people, exercise).values_list("submission__attempt", "report")
    for pk, report in rows.iterator(chunk_size=1):  # a report can be a megabyte
        found[whose[pk]] = automation.workload_scores(report)
    return found
