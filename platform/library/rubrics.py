"""Duplicate a rubric so that it can be changed; one that scorecards use stays as it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from library.models import CriterionLevel, Rubric


def is_fixed(rubric: Rubric) -> bool:
    """Shipped with a pack, or used by a scorecard: a copy can be changed, this one cannot."""
    return bool(rubric.source_digest) or rubric.evaluation_set.exists()


def _words(rubric: Rubric) -> tuple[str, list[dict[str, Any]]]:
    return rubric.title, rubric.snapshot()["criteria"]


def _is_untouched_copy(copy: Rubric, rubric: Rubric, by: User) -> bool:
    made_by_them = (copy.based_on, copy.created_by) == (rubric, by)
    return made_by_them and _words(copy) == _words(rubric) and not is_fixed(copy)


@transaction.atomic
def duplicate(rubric: Rubric, *, by: User, now: datetime) -> tuple[Rubric, bool]:
    """The next version for the same pack and level, the same in every word, and whether it is new.

    Whoever made the newest version as a copy of this one and has not changed it is given that.
    """
    same = Rubric.objects.filter(pack_name=rubric.pack_name, level=rubric.level)
    list(same.select_for_update().order_by("pk"))  # two presses wait for each other here
    newest = same.order_by("-version")[0]
    if _is_untouched_copy(newest, rubric, by):
        return newest, False
    copy = Rubric.objects.create(
        pack_name=rubric.pack_name,
        level=rubric.level,
        version=newest.version + 1,
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
    return copy, True
