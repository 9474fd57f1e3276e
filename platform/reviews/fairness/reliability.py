"""What the reliability panel shows: agreement by criterion, leniency and calibration by evaluator.

Computed on each evaluator's first submitted scorecard: what was corrected or discussed later was no
longer independent. Only scorecards that the viewer may read are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet

from accounts.models import User
from hiring.models import Opening
from library.models import Criterion, PackVersion, Seniority
from reviews.fairness import calibration
from reviews.fairness.statistics_of_agreement import Leniency, Reliability, leniency, reliability
from reviews.models import CalibrationCard, Evaluation, Rating

ATTEMPT = "submission__attempt"


class Exercise(NamedTuple):
    """What is rated by one rubric: a pack at one level, first answers or revisions."""

    pack: str
    level: str
    round: int

    @property
    def key(self) -> str:
        return f"{self.pack}:{self.level}:{self.round}"


@dataclass(frozen=True, slots=True)
class Choice:
    """An exercise that can be looked at, with how many scorecards of it the viewer may count."""

    exercise: Exercise
    title: str
    cards: int


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    figures: Reliability


@dataclass(frozen=True, slots=True)
class Person:
    """One evaluator: kindness beside colleagues, and distance from the agreed exemplars."""

    name: str
    cards: int
    kindness: Leniency
    calibrated: calibration.Distance | None


@dataclass(frozen=True)
class Panel:
    criteria: list[Row] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)
    answers: int = 0
    shared: int = 0


def counted(viewer: User, opening: Opening | None) -> QuerySet[Evaluation]:
    """The first scorecards, as handed in, that the viewer may read; of one opening or of all."""
    if not viewer.has_perm("reviews.study_evaluation"):
        return Evaluation.objects.none()
    cards = Evaluation.objects.visible_to(viewer).submitted().filter(supersedes=None)
    cards = cards.filter(submission__superseded_at=None).order_by()
    if opening:
        cards = cards.filter(submission__attempt__invitation__opening=opening)
    return cards


def choices(viewer: User, opening: Opening | None) -> list[Choice]:
    """The exercises with scorecards, the one with most of them first."""
    fields = (f"{ATTEMPT}__pack_version__name", f"{ATTEMPT}__level", "submission__round")
    rows = counted(viewer, opening).values_list(*fields).annotate(n=Count("pk"))
    count = {Exercise(pack, level, number): n for pack, level, number, n in rows}
    titles = dict(PackVersion.objects.order_by("loaded_at").values_list("name", "title"))
    found = [Choice(one, _title(one, titles), n) for one, n in count.items()]
    return sorted(found, key=lambda choice: (-choice.cards, choice.exercise))


def _title(exercise: Exercise, titles: dict[str, str]) -> str:
    what = "first answers" if exercise.round == 1 else "revisions"
    level = Seniority(exercise.level).label.lower()
    return f"{titles.get(exercise.pack, exercise.pack)}, {level}, {what}"


def panel(viewer: User, opening: Opening | None, exercise: Exercise) -> Panel:
    """All figures of one exercise, in a constant number of queries."""
    cards = counted(viewer, opening).filter(
        submission__attempt__pack_version__name=exercise.pack,
        submission__attempt__level=exercise.level,
        submission__round=exercise.round,
    )
    by_criterion, means, people = _levels(cards)
    shown = [
        Row(title, reliability(by_criterion[key]))
        for key, title in _criteria(exercise, by_criterion)
    ]
    kindness = leniency(means)
    done = _calibrated(exercise, people)
    rows = [
        Person(str(user), _cards_of(means, pk), kindness.get(pk, Leniency(0)), done.get(pk))
        for pk, user in people.items()
    ]
    rows.sort(key=lambda row: (-row.cards, row.name))
    return Panel(shown, rows, len(means), sum(len(rows) > 1 for rows in means.values()))


Levels = dict[str, dict[Any, dict[int, int]]]


def _levels(
    cards: QuerySet[Evaluation],
) -> tuple[Levels, dict[Any, dict[int, float]], dict[int, User]]:
    """({criterion: {answer: {evaluator: level}}}, {answer: {evaluator: mean}}, {key: evaluator})."""
    rows = Rating.objects.filter(evaluation__in=cards.values("pk"), level__isnull=False).order_by()
    by_criterion: Levels = defaultdict(lambda: defaultdict(dict))
    given: dict[tuple[Any, int], list[int]] = defaultdict(list)
    fields = ("evaluation__submission", "evaluation__evaluator", "criterion_key", "level")
    for answer, who, key, level in rows.values_list(*fields):
        by_criterion[key][answer][who] = level
        given[answer, who].append(level)
    means: dict[Any, dict[int, float]] = defaultdict(dict)
    for (answer, who), levels in given.items():
        means[answer][who] = fmean(levels)
    keys = {who for _, who in given}
    return by_criterion, means, User.objects.in_bulk(keys)


def _criteria(exercise: Exercise, known: Iterable[str]) -> list[tuple[str, str]]:
    """(key, title) in the newest rubric's order; criteria of older versions after them."""
    rows = Criterion.objects.filter(rubric__pack_name=exercise.pack, rubric__level=exercise.level)
    rows = rows.order_by("-rubric__version", "round", "position", "pk")
    titles: dict[str, str] = {}
    for key, title in rows.values_list("key", "title"):
        titles.setdefault(key, title)
    return [(key, titles[key]) for key in titles if key in set(known)]


def _cards_of(means: dict[Any, dict[int, float]], who: int) -> int:
    return sum(who in rows for rows in means.values())


def _calibrated(
    exercise: Exercise, people: dict[int, User]
) -> dict[int, calibration.Distance | None]:
    cards = CalibrationCard.objects.filter(
        evaluator__in=people, pack_name=exercise.pack, level=exercise.level
    )
    found: dict[int, list[calibration.Line]] = defaultdict(list)
    for card in cards.exclude(submitted_at=None):
        found[card.evaluator_id] += calibration.lines(card)
    return {who: calibration.distance(lines) for who, lines in found.items()}
