"""Record a decision about a candidate. There is no path from a score to a decision but a person."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt
from hiring.models import Candidate, Opening
from reviews.happened import decided
from reviews.models import Decision


def decide(
    *,
    opening: Opening,
    candidate: Candidate,
    outcome: str,
    reasons: str,
    by: User,
    now: datetime,
    id: UUID | None = None,
) -> tuple[Decision, bool]:
    """Append a decision; earlier ones stay in the log. (the decision, it was made just now)

    `id`: chosen by the page that asks, so that sending its form twice decides once.
    """
    if outcome not in Decision.Outcome.values:
        raise NotPossible("Choose one of the outcomes.")
    if not reasons.strip():
        raise NotPossible("Write the reasons: they are what the decision can be defended with.")
    decision, made = Decision.objects.get_or_create(
        id=id or uuid4(),
        defaults={
            "opening": opening,
            "candidate": candidate,
            "outcome": outcome,
            "reasons": reasons.strip(),
            "decided_by": by,
            "decided_at": now,
        },
    )
    if (decision.opening, decision.candidate) != (opening, candidate):
        raise NotPossible("This form belongs to another decision: open the page again.")
    if made:
        decided.send(Decision, decision=decision, now=now)
    return decision, made


def decisions_about(attempt: Attempt) -> list[Decision]:
    link = attempt.invitation
    rows = Decision.objects.filter(opening=link.opening, candidate=link.candidate)
    return list(rows.select_related("decided_by"))
