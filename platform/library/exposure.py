"""How often a question was asked, when last, and how hard it was: every version of it counts.

Corrected records do not count. Difficulty rests on the scores that interviewers gave, one mean for each
candidate, and is told only where there are enough of them to say anything and to point at nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from library.models import HIGHEST, LOWEST, Question
from library.student_t import quantile

OFTEN = 5  # asked so often that candidates may have heard of it
FEWEST = 8  # candidates with a score, below which a mean says too little and too much of each
EASY, HARD = 3.75, 2.5  # mean scores from which on, and below which, a question is called so


@dataclass(frozen=True)
class Difficulty:
    """The mean score of a question over `n` candidates, 1 to 5, with its 95 % interval."""

    n: int
    mean: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """easy or hard only where the whole interval is on that side."""
        if self.low >= EASY:
            return "easy"
        return "hard" if self.high < HARD else "neither easy nor hard so far"


def difficulty(questions: Iterable[Question]) -> dict[str, Difficulty]:
    """Family -> its difficulty, from submitted interviews; a family with fewer scores is left out."""
    families = {question.family for question in questions}
    rows = Question.objects.filter(
        family__in=families,
        asked__score__isnull=False,
        asked__session__submitted_at__isnull=False,
        asked__session__corrections__isnull=True,
    ).order_by()
    marks: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for family, person, score in rows.values_list(
        "family", "asked__session__candidate", "asked__score"
    ):
        if score is not None:
            marks[family][person].append(score)
    found = {name: _told([fmean(each) for each in of.values()]) for name, of in marks.items()}
    return {name: told for name, told in found.items() if told}


def _told(means: list[float]) -> Difficulty | None:
    n = len(means)
    if n < FEWEST:
        return None
    half = quantile(n - 1) * stdev(means) / sqrt(n)
    mean = fmean(means)
    return Difficulty(n, mean, max(LOWEST, mean - half), min(HIGHEST, mean + half))


def with_exposure(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Each question with `times_asked` (0 or more) and `last_asked` (a time or None)."""
    asked = _of_family(asked__asked_at__isnull=False, asked__session__supersedes__isnull=True)
    put = _of_family(put__isnull=False, put__defence__supersedes__isnull=True)
    in_talks, in_defences = _count(asked, "asked"), _count(put, "put")
    last_asked = Subquery(asked.annotate(at=Max("asked__asked_at")).values("at"))
    last_put = Subquery(put.annotate(at=Max("put__defence__recorded_at")).values("at"))
    # the greatest of a time and nothing is nothing on one of the databases
    last = Greatest(Coalesce(last_asked, last_put), Coalesce(last_put, last_asked))
    return questions.annotate(times_asked=in_talks + in_defences, last_asked=last)


def _of_family(**facts: bool) -> QuerySet[Question, Any]:
    """The versions of a question that the facts hold for, one row for all of them."""
    rows = Question.objects.filter(family=OuterRef("family"), **facts)
    return rows.order_by().values("family")


def _count(rows: QuerySet[Question, Any], what: str) -> Coalesce:
    counted = rows.annotate(n=Count(what)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))
