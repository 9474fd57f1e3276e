"""Record a decision about a candidate. There is no path from a score to a decision but a person."""

from __future__ import annotations

from datetime import datetime

from accounts.models import User
from hiring.models import Candidate, Opening
from reviews.evaluations import NotPossible
from reviews.models import Decision


def decide(
    *,
    opening: Opening,
    candidate: Candidate,
    outcome: str,
    reasons: str,
    by: User,
    now: datetime,
) -> Decision:
    """Append a decision; earlier ones stay in the log."""
    if outcome not in Decision.Outcome.values:
        raise NotPossible("Choose one of the outcomes.")
    if not reasons.strip():
        raise NotPossible("Write the reasons: they are what the decision can be defended with.")
    return Decision.objects.create(
        opening=opening,
        candidate=candidate,
        outcome=outcome,
        reasons=reasons.strip(),
        decided_by=by,
        decided_at=now,
    )
