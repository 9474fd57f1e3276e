"""Whether an exercise could be read before its clock started, as staff see it beside the scores (E8)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from assessments.ahead.release import is_of_kind
from assessments.models import Attempt


class Ahead(NamedTuple):
    """Hours before the start from which it could be read and at which it first was; None: not so.

    Hours, not moments: whoever scores sees no clock.
    """

    shown_h: float | None
    opened_h: float | None

    @property
    def said(self) -> str:
        """One sentence."""
        if self.shown_h is None:
            return "Not shown ahead: the candidate saw it when the clock started."
        if self.opened_h is None:
            return f"Shown ahead for {_hours(self.shown_h)}, and not opened before the start."
        return f"Shown ahead for {_hours(self.shown_h)}; first opened {_hours(self.opened_h)} before the start."


def of(attempt: Attempt) -> Ahead | None:
    """The fact on the attempt; None for kinds that are always a surprise."""
    if attempt.ahead_from is None and not is_of_kind(attempt.exercise):
        return None
    return Ahead(_before(attempt, attempt.ahead_from), _before(attempt, attempt.ahead_opened_at))


def cells(attempt: Attempt) -> dict[str, float | str | None]:
    """The fact as columns of a table; empty for kinds that are always a surprise."""
    found = of(attempt)
    return {
        "shown ahead": "" if found is None else "yes" if found.shown_h is not None else "no",
        "shown ahead, h before the start": found.shown_h if found else None,
        "first opened, h before the start": found.opened_h if found else None,
    }


def _before(attempt: Attempt, at: datetime | None) -> float | None:
    return None if at is None else round((attempt.started_at - at).total_seconds() / 3600, 2)


def _hours(value: float) -> str:
    if value < 1:
        return f"{round(value * 60)} min"
    return f"{value:.0f} h" if value >= 10 else f"{value:.1f} h"
