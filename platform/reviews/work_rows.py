"""A row of work and a section of them, as My work shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reviews.phases import Tag

SHOWN = 12  # rows of a section; the list behind it has all
ATTEMPTS = "admin:assessments_attempt_changelist"
INVITATIONS = "admin:hiring_invitation_changelist"
OPENINGS = "admin:hiring_opening_changelist"
MESSAGES = "admin:messages"


@dataclass(frozen=True)
class Row:
    """One thing to do: who it is about, what exactly, and where."""

    label: str
    text: str
    url: str
    tag: Tag | None = None
    at: datetime | None = None
    at_label: str = ""
    names: int | None = None
    """Key of the candidate whose name it shows."""


@dataclass(frozen=True)
class Section:
    """more: rows that are not shown, which the list at more_url has."""

    key: str
    title: str
    rows: list[Row]
    more: int = 0
    more_url: str = ""
    side: bool = False  # news rather than duty
