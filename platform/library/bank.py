"""The shipped question bank: TOML files beside this module, loaded as versioned rows."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from django.db import transaction

from library.models import Question

FOLDER = Path(__file__).parent / "bank"


class ShippedQuestion(msgspec.Struct, forbid_unknown_fields=True):
    """One question as a file holds it."""

    topic_id: str
    topic: str
    section: str
    question: str
    level: str
    expected_points: list[str]
    optional: bool = False
    tags: list[str] = []
    related_exercise: str = ""
    follow_ups: list[str] = []
    hints: list[str] = []
    discussion_points: list[str] = []


def shipped_questions(folder: Path = FOLDER) -> list[ShippedQuestion]:
    """All questions on disk; raises msgspec.ValidationError where a file has a wrong field."""
    questions = []
    for path in sorted(folder.glob("*.toml")):
        data = tomllib.loads(path.read_text())
        questions += msgspec.convert(data["questions"], list[ShippedQuestion])
    return questions


@transaction.atomic
def load_questions(*, now: datetime) -> int:
    """Add what is new; a changed text replaces the row by a new version. Answers how many."""
    changed = 0
    for question in shipped_questions():
        fields: dict[str, Any] = msgspec.structs.asdict(question)
        fields["text"] = fields.pop("question")
        rows = Question.objects.filter(topic_id=question.topic_id, shipped=True)
        latest = rows.order_by("-version").first()
        if latest and all(getattr(latest, name) == value for name, value in fields.items()):
            continue
        rows.filter(replaced_at=None).update(replaced_at=now)
        version = latest.version + 1 if latest else 1
        Question.objects.create(shipped=True, version=version, created_at=now, **fields)
        changed += 1
    return changed
