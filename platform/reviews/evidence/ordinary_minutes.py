"""Minutes into an attempt as everybody may read them: those of the ordinary time limit.

A minute beyond the limit would tell who scores that somebody had extra time, so minutes are divided
by the agreed factor and none is later than the limit.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from assessments.models import Attempt


class OrdinaryTime(NamedTuple):
    """`factor`: how much longer than the ordinary limit somebody had; `limit` in minutes, 0: none known."""

    factor: float = 1.0
    limit: int = 0

    def minute(self, minutes: float) -> int:
        """The minute, counted from 0, of the ordinary limit."""
        found = max(0, int(minutes / self.factor))
        return min(found, self.limit) if self.limit else found

    def at(self, moment: datetime, start: datetime) -> int:
        """The same of a moment, where the work of its round began at `start`."""
        return self.minute((moment - start).total_seconds() / 60)


EVEN = OrdinaryTime()


def ordinary_time_of(attempt: Attempt, round: int = 1) -> OrdinaryTime:
    """For a round of an attempt; needs its exercise. Minutes kept in an answer are of round 1."""
    row = attempt.exercise
    limit = row.limit_minutes if round == 1 else row.revision_minutes
    return OrdinaryTime(float(attempt.factor_of(round)) or 1.0, limit)
