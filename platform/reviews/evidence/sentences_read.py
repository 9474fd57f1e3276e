"""How an incident's answer was read: every sentence, what it was taken for, and how much was not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reviews.evidence.answer_text import visible

SURE = ((0.85, "plain"), (0.6, "likely"), (0.0, "unsure"))


def how_sure(share: float | None) -> str:
    """How plainly a sentence spoke of its subject, in a word; "" where nothing is known of it."""
    if share is None:
        return ""
    return next(word for least, word in SURE if share >= least)


@dataclass(frozen=True)
class Sentence:
    """One sentence of the answer, and what it was taken for."""

    where: str
    text: str
    taken: str
    subjects: str
    sure: str


@dataclass(frozen=True)
class HowRead:
    """How much of the answer was read: counts, the languages, what was not measured, and every sentence."""

    sentences: int
    unread: int
    copied: int
    languages: str
    not_measured: str
    rows: list[Sentence]


def how_read(row: Mapping[str, Any]) -> HowRead:
    """The evidence's row of this kind as the page shows it."""
    rows = [
        Sentence(
            str(one["where"]),
            visible(str(one["text"])),
            str(one["taken"]),
            ", ".join(one["subjects"]),
            how_sure(one["sure"]),
        )
        for one in row["rows"]
    ]
    return HowRead(
        int(row["sentences"]),
        int(row["unread"]),
        int(row["copied"]),
        ", ".join(row["languages"]),
        ", ".join(row["not_measured"]),
        rows,
    )
