"""Duplicate a rubric so that it can be changed; one that scorecards use stays as it is."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from library.models import CriterionLevel, Rubric


def is_fixed(rubric: Rubric) -> bool:
    """Shipped with a pack, or used by a scorecard: a copy can be changed, this one cannot."""
    return bool(rubric.source_digest) or rubric.evaluation_set.exists()


@transaction.atomic
def duplicate(rubric: Rubric, *, by: User, now: datetime) -> Rubric:
    """The next version for the same pack and level, the same in every word."""
    same = Rubric.objects.filter(pack_name=rubric.pack_name, level=rubric.level)
    newest = same.aggregate(Max("version"))["version__max"]
    copy = Rubric.objects.create(
        pack_name=rubric.pack_name,
        level=rubric.level,
        version=newest + 1,
        title=rubric.title,
        based_on=rubric,
        created_by=by,
        created_at=now,
    )
    for criterion in rubric.criteria.prefetch_related("levels"):
        levels = list(criterion.levels.all())
        criterion.pk = None
        criterion.rubric = copy
        criterion.save(force_insert=True)
        CriterionLevel.objects.bulk_create(
            CriterionLevel(criterion=criterion, value=level.value, text=level.text)
            for level in levels
        )
    return copy
