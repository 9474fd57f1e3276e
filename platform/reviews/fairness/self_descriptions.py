"""What candidates may say of themselves, voluntarily: the questions, and keeping the answers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from assessments.models import Submission
from hiring.models import Invitation
from hiring.trials import is_trial
from reviews.models import SelfDescription

SHIPPED = Path(__file__).parent / "self_description.toml"
PREFER_NOT = "prefer-not-to-say"
PREFER_NOT_LABEL = "I prefer not to say"


@dataclass(frozen=True, slots=True)
class Question:
    """One question; options are (key, label) without “I prefer not to say”."""

    key: str
    text: str
    options: tuple[tuple[str, str], ...]

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        return (*self.options, (PREFER_NOT, PREFER_NOT_LABEL))


def questions() -> tuple[Question, ...]:
    """The questions that SELF_DESCRIPTION names; none where it is "off"."""
    if settings.SELF_DESCRIPTION == "off":
        return ()
    return read_questions(Path(settings.SELF_DESCRIPTION or SHIPPED))


@cache
def read_questions(path: Path) -> tuple[Question, ...]:
    """From a TOML file; ImproperlyConfigured with one sentence where it cannot be used."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        found = tuple(_question(row) for row in data["questions"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = f"SELF_DESCRIPTION names {path}, which cannot be used: {error}."
        raise ImproperlyConfigured(text) from error
    if len({item.key for item in found}) < len(found):
        raise ImproperlyConfigured(f"{path}: two questions have the same key.")
    return found


def _question(row: Mapping[str, Any]) -> Question:
    options = tuple((str(item["key"]), str(item["label"])) for item in row["options"])
    keys = [str(row["key"]), *(key for key, _ in options)]
    if any(not re.fullmatch(r"[a-z0-9-]{1,40}", key) for key in keys):
        raise ValueError(f"a key of {row['key']!r} is not lower case letters, digits and hyphens")
    if len(set(keys[1:])) < len(options) or PREFER_NOT in keys or len(options) < 2:
        raise ValueError(f"{row['key']!r} needs two or more options with keys of their own")
    return Question(keys[0], str(row["text"]), options)


def may_be_given(invitation: Invitation) -> bool:
    """Only after an answer is in, and while the candidate works on nothing."""
    if is_trial(invitation):
        return False
    working = invitation.attempts.exclude(awaiting_round=None)
    handed_in = Submission.objects.filter(attempt__invitation=invitation)
    return bool(questions()) and handed_in.exists() and not working.exists()


def given(invitation: Invitation) -> dict[str, str]:
    """What the candidate said; empty where nothing is kept."""
    row = SelfDescription.objects.filter(invitation=invitation).first()
    return dict(row.answers) if row else {}


def keep(invitation: Invitation, data: Mapping[str, str], *, now: datetime) -> dict[str, str]:
    """Keep the answers in place of earlier ones; without a single one nothing is kept at all."""
    answers = {
        question.key: data[question.key]
        for question in questions()
        if data.get(question.key) in dict(question.choices)
    }
    if not answers:
        remove(invitation)
        return {}
    SelfDescription.objects.update_or_create(
        invitation=invitation, defaults={"answers": answers, "given_at": now}
    )
    return answers


def remove(invitation: Invitation) -> None:
    """Take back what was said; no trace of it stays."""
    SelfDescription.objects.filter(invitation=invitation).delete()
