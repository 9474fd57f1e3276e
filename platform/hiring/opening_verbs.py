"""The buttons of an opening: close, reopen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from accounts.confirmed import Refused, Verb
from accounts.models import User
from hiring.models import Opening


def _close(opening: Opening, data: dict[str, Any], by: User, now: datetime) -> str:
    if opening.closed_at:
        raise Refused("This opening was closed before.")
    opening.closed_at = now
    opening.save(update_fields=["closed_at"])
    return f"Closed the opening. Reason: {data['reason']}"


def _reopen(opening: Opening, data: dict[str, Any], by: User, now: datetime) -> str:
    if not opening.closed_at:
        raise Refused("This opening is not closed.")
    opening.closed_at = None
    opening.save(update_fields=["closed_at"])
    return f"Reopened the opening. Reason: {data['reason']}"


CLOSE = Verb(
    title="Close the opening",
    explanation=(
        "Nobody can be invited for it any more. Links that were sent go on working, and what was "
        "handed in can still be scored and decided."
    ),
    button="Close the opening",
    permission="hiring.change_opening",
    perform=_close,
)
REOPEN = Verb(
    title="Reopen the opening",
    explanation="Candidates can be invited for it again.",
    button="Reopen the opening",
    permission="hiring.change_opening",
    perform=_reopen,
)
