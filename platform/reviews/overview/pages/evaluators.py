"""What the page of an attempt says about evaluators: do they differ, who may be asked, who is calibrated."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, prefetch_related_objects

from accounts.models import User
from assessments.models import Attempt
from reviews.fairness import calibration
from reviews.scoring.agreement import TAGS, Agreement, agreement_of_round, with_known_cards
from reviews.visibility import may_act_on, may_be_asked_to_score


def free_evaluators(attempt: Attempt, asker: User, now: datetime) -> QuerySet[User]:
    """Who may be asked to score it as well: not who does already, and not the person who asks."""
    people = User.objects.filter(may_be_asked_to_score(now))
    return people.exclude(assignments__attempt=attempt).exclude(pk=asker.pk).distinct()


def evaluators_context(attempt: Attempt, viewer: User, now: datetime) -> dict[str, Any]:
    """disagreements and uncalibrated for _agreement.html; nothing that the viewer may not know yet."""
    prefetch_related_objects([attempt], with_known_cards(viewer))
    assigns = may_act_on(viewer, attempt, "reviews.add_assignment")
    found = []
    for answer in attempt.judged:  # type: ignore[attr-defined]
        kind = agreement_of_round(attempt, answer)
        if kind in TAGS:
            free = list(free_evaluators(attempt, viewer, now)) if kind == Agreement.ASK else []
            found.append(
                {
                    "round": answer.round,
                    "agreement": str(kind),
                    "tag": TAGS[kind],
                    "free": [str(person) for person in free] if assigns else [],
                }
            )
    own = [person for person in calibration.not_calibrated(attempt) if assigns or person == viewer]
    return {"disagreements": found, "uncalibrated": own}
