"""Who is met on the living demo and what became of each, as people.toml says."""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import msgspec

SOURCE = Path(__file__).parent / "people.toml"


class Card(msgspec.Struct, frozen=True):
    """A scorecard: hours after the answer came in, levels in the order of the rubric's criteria."""

    by: str
    after: float
    levels: list[int]
    notes: dict[str, str] = {}
    round: int = 1


class Talk(msgspec.Struct, frozen=True):
    """Explain and defend, in hours after the first answer."""

    by: str
    after: float
    level: int
    question: str
    answer: str
    notes: str


class Released(msgspec.Struct, frozen=True):
    """Feedback; a place that is not named is a row of the answer's table."""

    by: str
    after: float
    strength: str
    improvement: str
    strength_place: str = ""
    improvement_place: str = ""
    focus: str = ""


class Revised(msgspec.Struct, frozen=True):
    """A revision; without minutes it goes on. `golden` replaces the files, `adds` goes below sections."""

    minutes: float
    after: float = 0
    golden: str = ""
    adds: dict[str, str] = {}


class Outcome(msgspec.Struct, frozen=True):
    """What a discussion agreed on one criterion of the first answer."""

    by: str
    after: float
    criterion: str
    level: int
    reason: str


class Decided(msgspec.Struct, frozen=True):
    by: str
    after: float
    outcome: str
    reasons: str


class Record(msgspec.Struct, frozen=True):
    """What one interviewer wrote down: for each question a score, how many expected points, and a note.

    Without a summary the record was begun and is still owed.
    """

    by: str
    scores: list[int] = []
    points: list[int] = []
    notes: list[str] = []
    summary: str = ""


class Interview(msgspec.Struct, frozen=True):
    """A talk by a set of the bank's questions, one of the opening's level for each topic.

    Planned at `after`, in hours after the first answer, as `begins` is; or `ahead`, in hours after the demo
    was made, for one that is still to come.
    """

    title: str
    topics: list[str]
    planned_by: str
    by: list[str]
    after: float
    begins: float = 0
    ahead: float = 0
    minutes: int = 45
    records: list[Record] = []


class Enquired(msgspec.Struct, frozen=True):
    """A question during the work, its answer, and what all at the exercise were told after it."""

    text: str
    by: str
    answer: str
    announced: str = ""
    minutes: int = 0


class Person(msgspec.Struct, frozen=True):
    """One candidate. Hours before the demo was made; what is None has not happened."""

    name: str
    opening: str
    invited: float
    seed: int = 0
    opened: float | None = None
    began: float | None = None
    minutes: float | None = None
    golden: str = ""
    sections: str = ""
    draft: dict[str, str] = {}
    enquiry: Enquired | None = None
    panel: list[str] = []
    cards: list[Card] = []
    defence: Talk | None = None
    feedback: Released | None = None
    revision: Revised | None = None
    outcomes: list[Outcome] = []
    interview: Interview | None = None
    decision: Decided | None = None

    @property
    def email(self) -> str:
        return f"{self.name.lower().replace(' ', '.')}@example.com"

    def handed_in_at(self, made: datetime) -> datetime:
        """When the first answer came in, on a demo that was made at `made`."""
        return made - timedelta(hours=self.began or 0, minutes=-(self.minutes or 0))


class Source(msgspec.Struct, frozen=True):
    people: list[Person]
    sections: dict[str, dict[str, str]]


@cache
def source() -> Source:
    return msgspec.convert(tomllib.loads(SOURCE.read_text(encoding="utf-8")), Source)
