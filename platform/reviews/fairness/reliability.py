"""What the reliability panel shows: agreement by criterion, leniency and calibration by evaluator.

Computed on each evaluator's first submitted scorecard: what was corrected or discussed later was no
longer independent. Only scorecards that the viewer may read are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from accounts.models import User
from hiring.models import Opening
from library.models import Criterion, PackVersion, Seniority
from reviews.brief import JoinedPairs
from reviews.fairness import calibration
from reviews.fairness.statistics_of_agreement import Leniency, Reliability, leniency, reliability
from reviews.models import CalibrationCard, Evaluation, Rating


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


class Card(NamedTuple):
    """A first scorecard, as handed in: what it is about, and whose it is."""

    key: int
    answer: int
    evaluator: int
    exercise: Exercise


def counted(viewer: User, opening: Opening | None) -> list[Card]:
    """The first scorecards, as handed in, that the viewer may read; of one opening or of all."""
    if not viewer.has_perm("reviews.study_evaluation"):
        return []
    cards = Evaluation.objects.visible_to(viewer).submitted().order_by()
    # not supersedes=None, for which SQLite takes an index that leads it through every long row
    cards = cards.exclude(supersedes__isnull=False).filter(submission__superseded_at=None)
    if opening:
        cards = cards.filter(submission__attempt__invitation__opening=opening)
    packs = dict(PackVersion.objects.values_list("pk", "name"))
    fields = ("pack_version", "level")
    rows = cards.values_list(
        "pk",
        "submission",
        "evaluator",
        *(f"submission__attempt__{name}" for name in fields),
        "submission__round",
    )
    exercise = cache(lambda pack, level, number: Exercise(packs[pack], level, number))
    return [Card(key, answer, who, exercise(*about)) for key, answer, who, *about in rows]


def choices(cards: Iterable[Card]) -> list[Choice]:
    """The exercises with scorecards, the one with most of them first."""
    count = Counter(card.exercise for card in cards)
    titles = dict(PackVersion.objects.order_by("loaded_at").values_list("name", "title"))
    found = [Choice(one, _title(one, titles), n) for one, n in count.items()]
    return sorted(found, key=lambda choice: (-choice.cards, choice.exercise))


def _title(exercise: Exercise, titles: dict[str, str]) -> str:
    what = "first answers" if exercise.round == 1 else "revisions"
    level = Seniority(exercise.level).label.lower()
    return f"{titles.get(exercise.pack, exercise.pack)}, {level}, {what}"


def panel(counted: Iterable[Card], exercise: Exercise) -> Panel:
    """All figures of one exercise, in a constant number of queries."""
    by_criterion, means, people = _levels([card for card in counted if card.exercise == exercise])
    cards = Counter(who for rows in means.values() for who in rows)
    shown = [
        Row(title, reliability(by_criterion[key]))
        for key, title in _criteria(exercise, by_criterion)
    ]
    kindness = leniency(means)
    done = _calibrated(exercise, people)
    rows = [
        Person(str(user), cards[pk], kindness.get(pk, Leniency(0)), done.get(pk))
        for pk, user in people.items()
    ]
    rows.sort(key=lambda row: (-row.cards, row.name))
    return Panel(shown, rows, len(means), sum(len(rows) > 1 for rows in means.values()))


Levels = dict[str, dict[Any, dict[int, int]]]


def _levels(
    cards: Sequence[Card],
) -> tuple[Levels, dict[Any, dict[int, float]], dict[int, User]]:
    """({criterion: {answer: {evaluator: level}}}, {answer: {evaluator: mean}}, {key: evaluator})."""
    given = _given(cards)
    by_criterion: Levels = defaultdict(lambda: defaultdict(dict))
    means: dict[Any, dict[int, float]] = defaultdict(dict)
    for card in cards:
        if levels := given.get(card.key):
            means[card.answer][card.evaluator] = sum(levels.values()) / len(levels)
            for key, level in levels.items():
                by_criterion[key][card.answer][card.evaluator] = level
    keys = {who for rows in means.values() for who in rows}
    return by_criterion, means, User.objects.in_bulk(keys)


def _given(cards: Sequence[Card]) -> dict[int, dict[str, int]]:
    """{scorecard: {criterion: level}}.

    Each scorecard's levels come as one text, and few texts are different: reading 72,000 rows takes Python
    longer than the database takes to join them. Those of other exercises between the first and the last
    scorecard come along and are left out by whoever reads this.
    """
    if not cards:
        return {}
    keys = [card.key for card in cards]
    between = {"evaluation__gte": min(keys), "evaluation__lte": max(keys)}
    rows = Rating.objects.filter(level__isnull=False, **between)
    joined = rows.order_by().values("evaluation")
    joined = joined.annotate(levels=JoinedPairs("criterion_key", "level"))
    read = cache(_read)
    return {key: read(text) for key, text in joined.values_list("evaluation", "levels")}


def _read(text: str) -> dict[str, int]:
    pairs = (item.partition("=") for item in text.split(","))
    return {key: int(level) for key, _, level in pairs}


def _criteria(exercise: Exercise, known: Iterable[str]) -> list[tuple[str, str]]:
    """(key, title) in the newest rubric's order; criteria of older versions after them."""
    rows = Criterion.objects.filter(rubric__pack_name=exercise.pack, rubric__level=exercise.level)
    rows = rows.order_by("-rubric__version", "round", "position", "pk")
    titles: dict[str, str] = {}
    for key, title in rows.values_list("key", "title"):
        titles.setdefault(key, title)
    return [(key, titles[key]) for key in titles if key in set(known)]


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
