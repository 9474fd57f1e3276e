"""How often a question was asked, and when last: every version of it counts, corrections do not."""

from __future__ import annotations

from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from library.models import Question

OFTEN = 5  # asked so often that candidates may have heard of it


def with_exposure(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Each question with `times_asked` (0 or more) and `last_asked` (a time or None)."""
    asked = (
        Question.objects.filter(
            family=OuterRef("family"),
            asked__asked_at__isnull=False,
            asked__session__supersedes__isnull=True,
        )
        .order_by()
        .values("family")
    )
    return questions.annotate(
        times_asked=Coalesce(
            Subquery(asked.annotate(n=Count("asked")).values("n"), output_field=IntegerField()),
            Value(0),
        ),
        last_asked=Subquery(asked.annotate(at=Max("asked__asked_at")).values("at")),
    )
