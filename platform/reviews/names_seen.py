"""Names that lists showed to somebody who may be asked to score: they are no longer blind to those people."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from accounts.models import User
from assessments.models import Attempt
from hiring import seen_by


def note_names(viewer: User, candidates: Iterable[int], page: str, *, now: datetime) -> None:
    """Append which candidates, by their keys, a page named; nothing of viewers who never score."""
    if viewer.has_perm("reviews.add_evaluation"):
        seen_by.note_all(viewer, candidates, page, now=now, named=True)


def named_in(attempts: Iterable[Attempt]) -> set[int]:
    """The candidates whom a list of attempts names; they come from `with_viewer`."""
    return {row.invitation.candidate_id for row in attempts if row.named}  # type: ignore[attr-defined]
