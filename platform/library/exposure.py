"""How often a question was asked, and when last: every version of it counts, corrections do not."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from library.models import Question

OFTEN = 5  # asked so often that candidates may have heard of it


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
