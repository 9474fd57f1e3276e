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


class FollowUp(msgspec.Struct, forbid_unknown_fields=True):
    ask: str
    expects: str


class ShippedQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """One question. `key` tells the questions of one topic apart.

    In a file of the bank `follow_ups` is a list of {ask, expects}; here and in exports it is two lists.
    """

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
    follow_up_answers: list[str] = []
    weak_answers: list[str] = []
    red_flags: list[str] = []
    hints: list[str] = []
    discussion_points: list[str] = []
    key: Annotated[str, msgspec.Meta(pattern=r"^([QA][1-9]\d*(-[a-z0-9]+)*)?$")] = ""

    def __post_init__(self) -> None:
        """Raises UnknownKind, which msgspec tells with the place."""
        self.key = self.key or self.topic_id
        if self.related_exercise:
            kind_of(self.related_exercise)
        if len(self.follow_up_answers) not in (0, len(self.follow_ups)):
            raise ValueError("There is an answer for each follow-up, or none at all.")


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
            if question.key.split("-")[0] != question.topic_id:
                raise BankProblem(f"{path.name}: {question.key} begins with {question.topic_id}.")
            # A row's versions are found by its key.
            if question.key in questions:
                raise BankProblem(f"{path.name}: {question.key} is in the bank already.")
            questions[question.key] = question
    return list(questions.values())


def read_file(path: Path) -> BankFile:
    """The questions of one file; raises BankProblem."""
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = read.get("questions")
        for row in rows if isinstance(rows, list) else ():
            _part_follow_ups(row)
        return msgspec.convert(read, BankFile)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BankProblem(f"{path.name}: {error}") from error


def _part_follow_ups(row: dict[str, Any]) -> None:
    """In a file each follow-up stands beside what a good answer to it says."""
    if row.get("follow_ups"):
        found = msgspec.convert(row["follow_ups"], list[FollowUp])
        row["follow_ups"] = [each.ask for each in found]
        row["follow_up_answers"] = [each.expects for each in found]


@transaction.atomic
def load_questions(*, now: datetime, folder: Path = FOLDER) -> int:
    """Add what is new; a changed text replaces the row by a new version. Answers how many."""
    latest = {row.family: row for row in Question.objects.filter(shipped=True).order_by("version")}
    added = []
    for question in shipped_questions(folder):
        fields: dict[str, Any] = msgspec.structs.asdict(question)
        fields["text"], family = fields.pop("question"), fields.pop("key")
        known = latest.get(family)
        if known and all(getattr(known, name) == value for name, value in fields.items()):
            continue
        version = known.version + 1 if known else 1
        added.append(
            Question(shipped=True, family=family, version=version, created_at=now, **fields)
        )
    replaced = Question.objects.filter(shipped=True, replaced_at=None)
    replaced.filter(family__in=[row.family for row in added]).update(replaced_at=now)
    Question.objects.bulk_create(added)
    return len(added)
