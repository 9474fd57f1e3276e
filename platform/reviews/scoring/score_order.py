"""One exercise across its candidates: the order in which an evaluator scores them, and what is next.

The order is random, the same on every visit, and another one for each evaluator and exercise, so
that nobody is always first or always compared with the same neighbour.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from accounts.models import User
from assessments.models import Submission
from hiring.models import Exercise
from reviews.models import Assignment, Evaluation
from reviews.visibility import attempts_visible_to, shown_name, with_viewer


class Place(NamedTuple):
    """An attempt in the evaluator's order with (round, own scorecard is in) of what was handed in."""

    attempt: UUID
    rounds: list[tuple[int, bool]]

    @property
    def owed(self) -> int | None:
        """The first round that the evaluator still has to score."""
        return next((number for number, done in self.rounds if not done), None)


def lot(evaluator: User, exercise: Exercise, attempt: UUID) -> bytes:
    """What attempts are ordered by: drawn by evaluator and exercise, so a late attempt moves none."""
    return hashlib.sha256(f"{evaluator.pk}:{exercise.pk}:{attempt}".encode()).digest()


def order(evaluator: User, exercise: Exercise) -> list[Place]:
    """All attempts at the exercise that the evaluator scores, in their order; three queries."""
    assigned = Assignment.objects.filter(evaluator=evaluator).values("attempt")
    rows = attempts_visible_to(evaluator).filter(exercise=exercise, pk__in=assigned)
    keys = set(rows.order_by().values_list("pk", flat=True))
    rounds: dict[UUID, list[tuple[int, bool]]] = defaultdict(list)
    own = Evaluation.objects.submitted().filter(evaluator=evaluator)
    done = set(
        own.filter(submission__attempt__exercise=exercise).values_list("submission", flat=True)
    )
    answers = Submission.objects.filter(attempt__exercise=exercise, superseded_at=None)
    for pk, attempt, number in answers.order_by("round").values_list("pk", "attempt", "round"):
        rounds[attempt].append((number, pk in done))
    drawn = sorted(keys, key=lambda key: lot(evaluator, exercise, key))
    return [Place(key, rounds[key]) for key in drawn]


def names(evaluator: User, places: Iterable[Place]) -> dict[UUID, str]:
    """The candidates as the evaluator may know them: pseudonyms until there is a decision."""
    rows = with_viewer(attempts_visible_to(evaluator), evaluator)
    rows = rows.filter(pk__in=[place.attempt for place in places])
    return {row.pk: shown_name(row) for row in rows.select_related("invitation__candidate")}


def next_to_score(places: Iterable[Place], after: UUID | None = None) -> Place | None:
    """The first that is owed: first answers before revisions, from `after` on and then from the top."""
    rows = list(places)
    at = next((n for n, row in enumerate(rows) if row.attempt == after), -1)
    turned = rows[at + 1 :] + rows[: at + 1]
    owed = [row for row in turned if row.owed is not None]
    return next((row for row in owed if row.owed == 1), owed[0] if owed else None)
