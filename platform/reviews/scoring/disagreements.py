"""Which attempts ask for another evaluator, found by the database: as reviews.scoring.agreement defines it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db.models import (
    Avg,
    Count,
    Exists,
    F,
    FloatField,
    IntegerField,
    Max,
    Min,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Cast, Coalesce

from accounts.models import User
from assessments.models import Submission
from reviews.models import Assignment, DiscussionOutcome, Evaluation, Rating
from reviews.scoring.agreement import SETTLING

OPENING = "submission__attempt__invitation__opening"


def asking_for_another(viewer: User) -> QuerySet[Submission]:
    """Answers with two scorecards in that differ by the rule and nobody else on the panel."""
    known = Evaluation.objects.known_to(viewer).current().submitted().order_by()
    pairs = known.values("submission").annotate(n=Count("pk", distinct=True))
    pairs = pairs.filter(n__gte=2, n__lt=SETTLING)
    card = (
        Evaluation.objects.current()
        .submitted()
        .filter(submission=OuterRef(OuterRef("pk")), evaluator=OuterRef("evaluator"))
    )
    owing = Assignment.objects.filter(~Exists(card), attempt=OuterRef("attempt"))
    answers = Submission.objects.filter(~Exists(owing), pk__in=pairs.values("submission"))
    # read, not nested: the database would look at every scorecard of every opening for each of the two rules
    return Submission.objects.filter(pk__in=apart(list(answers.values_list("pk", flat=True))))


def apart(answers: Collection[int]) -> set[int]:
    """Those of the answers whose scorecards differ by the rule and were not talked over, by their keys."""
    if not answers:
        return set()
    cards = Evaluation.objects.current().submitted().order_by().filter(submission__in=answers)
    found = set(_far_on_a_criterion(cards).values_list("evaluation__submission", flat=True))
    return found | set(_far_by_their_means(cards).values_list("submission", flat=True))


def _far_on_a_criterion(cards: QuerySet[Evaluation]) -> QuerySet[Any]:
    """Keys of answers whose cards differ on a criterion that was not discussed."""
    discussed = DiscussionOutcome.objects.filter(
        submission=OuterRef("evaluation__submission"), criterion_key=OuterRef("criterion_key")
    )
    least = Coalesce(F(f"evaluation__{OPENING}__levels_apart"), Value(settings.LEVELS_APART))
    rows = Rating.objects.filter(
        ~Exists(discussed), evaluation__in=cards.values("pk"), level__isnull=False
    )
    grouped = rows.order_by().values("evaluation__submission", "criterion_key")
    apart = grouped.annotate(
        gap=Max("level", output_field=IntegerField()) - Min("level", output_field=IntegerField()),
        least=Max(least, output_field=IntegerField()),
    )
    return apart.filter(gap__gte=F("least")).values("evaluation__submission")


def _far_by_their_means(cards: QuerySet[Evaluation]) -> QuerySet[Any]:
    """Keys of answers whose cards' mean levels differ and of which nothing was discussed."""
    levels = Rating.objects.filter(evaluation=OuterRef("pk"), level__isnull=False).order_by()
    mean = levels.values("evaluation").annotate(mean=Avg("level")).values("mean")
    talked = DiscussionOutcome.objects.filter(submission=OuterRef("submission"))
    # kept in a query of its own: an aggregate of an aggregate needs a level between the two
    each = Evaluation.objects.filter(~Exists(talked), pk__in=cards.values("pk"))
    least = Coalesce(
        Cast(F(f"{OPENING}__means_apart"), FloatField()), Value(float(settings.MEANS_APART))
    )
    grouped = (
        each.annotate(mean=Subquery(mean, output_field=FloatField()), least=least)
        .order_by()
        .values("submission", "least")
        .annotate(gap=Max("mean") - Min("mean"))
    )
    return grouped.filter(gap__gte=F("least")).values("submission")
