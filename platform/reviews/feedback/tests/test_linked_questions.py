"""Bank questions that belong to an exercise are offered in its talk, for every kind of exercise."""

from __future__ import annotations

import pytest

from assessments.models import Attempt
from assessments.tests.stage import NOW, Stage
from library.bank import load_questions
from reviews.feedback import defence
from scenarios.kinds import KINDS


@pytest.mark.parametrize("kind", [kind.key for kind in KINDS])
@pytest.mark.by_day(ids=["scaling-plan"])
def test_every_kind_has_questions_with_points_and_follow_ups(
    kind: str, attempt: Attempt, stage: Stage
) -> None:
    load_questions(now=NOW)
    stage.exercise.kind = kind
    stage.exercise.save()
    found = list(defence.linked_questions(Attempt.objects.get(pk=attempt.pk)))
    assert len(found) >= 3, kind
    assert all(row.expected_points or row.discussion_points for row in found)
    assert all(row.follow_ups for row in found if not row.discussion_points)
