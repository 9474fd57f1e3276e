"""How long candidates' data is kept, as a number and as the sentences that candidates read."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext, ngettext

from hiring.models import Erasure, Opening

AFTERWARDS = {
    Erasure.Mode.ERASE: "Then all of it is erased.",
    Erasure.Mode.PSEUDONYMISE: (
        "Then your name and address go; your work and its scores stay without them, unless your work "
        "names you: then all of it is erased."
    ),
}


def months_for(opening: Opening) -> int:
    """How many months the opening's data is kept after the decision; 0: until somebody asks."""
    own = opening.retention_months
    return settings.RETENTION_MONTHS if own is None else own


def in_sentences(opening: Opening) -> list[str]:
    """How long, counted from when, and what happens then."""
    months = months_for(opening)
    if months == 0:
        return [
            gettext(
                "It has no fixed end: it is kept until you, or the organisation, ask for its erasure."
            )
        ]
    length = ngettext("{count} month", "{count} months", months).format(count=months)
    return [
        gettext(
            "It is kept for {length} after the decision about you, or after the opening is closed without "
            "one; if you are invited for several openings here, until the last of these dates."
        ).format(length=length),
        gettext(AFTERWARDS[Erasure.Mode(settings.RETENTION_MODE)]),
        gettext("You can ask for a copy of it, or for its erasure, before that."),
    ]


def months_later(at: datetime, months: int) -> datetime:
    """The same day so many months later, or the last day of a shorter month."""
    years, month = divmod(at.month - 1 + months, 12)
    year = at.year + years
    return at.replace(year=year, month=month + 1, day=min(at.day, monthrange(year, month + 1)[1]))
