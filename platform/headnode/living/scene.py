"""One person on the demo, and one act of their story, which knows whether it was done or can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from assessments.models import Attempt, Submission
from headnode.living.people import Person
from hiring.models import Exercise, Invitation, Opening


@dataclass(frozen=True)
class Scene:
    """One person on a demo that was made at `made`; staff by user name."""

    person: Person
    made: datetime
    staff: dict[str, User]
    opening: Opening

    def ago(self, hours: float) -> datetime:
        return self.made - timedelta(hours=hours)

    def after(self, hours: float) -> datetime:
        """Hours after the first answer came in, but never after the demo was made."""
        return min(self.person.handed_in_at(self.made) + timedelta(hours=hours), self.made)

    @property
    def exercise(self) -> Exercise:
        found: Exercise = self.opening.exercises.all()[0]
        return found

    @property
    def link(self) -> Invitation | None:
        mine = Invitation.objects.filter(candidate__email=self.person.email)
        return mine.select_related("candidate", "opening__company").first()

    @property
    def attempt(self) -> Attempt:
        rows = Attempt.objects.select_related("exercise", "pack_version", "invitation__candidate")
        return rows.get(invitation__candidate__email=self.person.email)

    def handed_in(self, round: int) -> Any:
        mine = {"attempt__invitation__candidate__email": self.person.email}
        return Submission.objects.filter(round=round, superseded_at=None, **mine)


def _nothing(scene: Scene) -> Any:
    return None


def _always(scene: Scene) -> bool:
    return True


@dataclass(frozen=True)
class Act:
    """`make` runs before the transaction that `do` is carried out in, with what it gave."""

    is_done: Callable[[Scene], bool]
    do: Callable[[Scene, Any], object]
    make: Callable[[Scene], Any] = _nothing
    is_ready: Callable[[Scene], bool] = _always
