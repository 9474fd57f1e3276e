"""Who had opened what about a candidate before the decision: for those who decide."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from assessments.models import Attempt
from hiring import seen_by
from hiring.models import Candidate
from reviews.models import Decision
from reviews.page_names import called
from reviews.visibility import may_act_on


@dataclass
class Seen:
    """One member of staff and one kind of page: the first and the last time before the decision."""

    by: User
    page: str
    first: datetime
    last: datetime


def seen_before_deciding(
    viewer: User, about: Attempt, decisions: list[Decision] | None
) -> list[Seen] | None:
    """Who had opened what before the newest decision, or until now; for those who decide."""
    if decisions is None or not may_act_on(viewer, about, "reviews.add_decision"):
        return None
    candidate = about.invitation.candidate
    return seen_before(candidate, decisions[0].decided_at if decisions else None)


def seen_before(candidate: Candidate, at: datetime | None) -> list[Seen]:
    """Each person and kind of page, oldest first; `at` None: until now."""
    rows = seen_by.before(candidate, at) if at else seen_by.of(candidate)
    found: dict[tuple[int, str], Seen] = {}
    for row in rows:
        page = called(row.page)
        held = found.setdefault((row.by_id, page), Seen(row.by, page, row.at, row.at))
        held.last = row.at
    return list(found.values())
