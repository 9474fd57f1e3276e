"""The shipped question bank: TOML files beside this module, loaded as versioned rows."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from django.db import transaction

from library.models import Question
from scenarios.kinds import kind_of

FOLDER = Path(__file__).parent / "bank"


class ShippedQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """One question as a file holds it."""

    topic_id: Annotated[str, msgspec.Meta(pattern=r"^[QA][1-9]\d*$")]
    topic: str
    section: str
    question: str
    level: Literal["junior", "mid", "senior"]
    expected_points: list[str]
    optional: bool = False
    tags: list[str] = []
    related_exercise: str = ""
    follow_ups: list[str] = []
    hints: list[str] = []
    discussion_points: list[str] = []

    def __post_init__(self) -> None:
        """Raises UnknownKind, which msgspec tells with the place."""
        if self.related_exercise:
            kind_of(self.related_exercise)


class BankFile(msgspec.Struct, forbid_unknown_fields=True):
    """One file: the questions of one section."""

    questions: list[ShippedQuestion]


class BankProblem(ValueError):
    """A file of the bank cannot be used; the message names the file and what is wrong."""


def shipped_questions(folder: Path = FOLDER) -> list[ShippedQuestion]:
    """All questions on disk; raises BankProblem where a file or the set of files is wrong."""
    questions: dict[str, ShippedQuestion] = {}
    for path in sorted(folder.glob("*.toml")):
        for question in read_file(path).questions:
            # A row's versions are found by its topic, so a topic has one shipped question.
            if question.topic_id in questions:
                raise BankProblem(f"{path.name}: {question.topic_id} is in the bank already.")
            questions[question.topic_id] = question
    return list(questions.values())


def read_file(path: Path) -> BankFile:
    """The questions of one file; raises BankProblem."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), BankFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BankProblem(f"{path.name}: {error}") from error


@transaction.atomic
def load_questions(*, now: datetime, folder: Path = FOLDER) -> int:
    """Add what is new; a changed text replaces the row by a new version. Answers how many."""
    changed = 0
    for question in shipped_questions(folder):
        fields: dict[str, Any] = msgspec.structs.asdict(question)
        fields["text"] = fields.pop("question")
        rows = Question.objects.filter(topic_id=question.topic_id, shipped=True)
        latest = rows.order_by("-version").first()
        if latest and all(getattr(latest, name) == value for name, value in fields.items()):
            continue
        rows.filter(replaced_at=None).update(replaced_at=now)
        version = latest.version + 1 if latest else 1
        Question.objects.create(
            shipped=True, family=question.topic_id, version=version, created_at=now, **fields
        )
        changed += 1
    return changed
