"""Which words of a job description speak for which topics: a written vocabulary, no statistics."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from library.models import Question

FILE = Path(__file__).parent / "vocabulary.toml"
LONGEST_TEXT = 30_000  # characters of a job description that are read
BETWEEN = r"[\s\-/.:]+"
OWN_TOPIC, OWN_TAG = 3, 2  # what an own question's topic and tags weigh


@dataclass(frozen=True)
class Phrase:
    """One entry: how it is found, how it is written, what it weighs for which topic."""

    written: str
    topic: str
    weight: int
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Found:
    """A phrase in a text, in the text's own writing."""

    words: str
    topic: str
    weight: int


@cache
def read_vocabulary(path: Path = FILE) -> dict[str, Any]:
    """topics, traits and dimensions of the file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def phrases() -> tuple[Phrase, ...]:
    rows = read_vocabulary()["topics"].items()
    return tuple(
        Phrase(written, topic, weight, pattern_of(written))
        for topic, words in rows
        for written, weight in words.items()
    )


def pattern_of(written: str) -> re.Pattern[str]:
    """Whole words, in any case, with any of space, hyphen, slash and dot between; * is any ending."""
    words = [re.escape(word) for word in re.split(r"[\s\-/.]+", written.rstrip("*")) if word]
    ending = r"\w*" if written.endswith("*") else r"s?"
    phrase = BETWEEN.join(words) + ending
    return re.compile(rf"(?<!\w){phrase}(?!\w)", re.IGNORECASE)


def find(text: str, known: Iterable[Phrase]) -> list[Found]:
    """Each phrase that the text has, once, in the vocabulary's order."""
    text = text[:LONGEST_TEXT]
    found = []
    for phrase in known:
        if match := phrase.pattern.search(text):
            words = re.sub(r"\s+", " ", match.group())
            found.append(Found(words, phrase.topic, phrase.weight))
    return found


def own_phrases(questions: Iterable[Question]) -> list[Phrase]:
    """An own question is found by its topic and its tags; its `topic` here is its family."""
    rows = []
    for question in questions:
        entries = {question.topic: OWN_TOPIC} | {
            tag: OWN_TAG for tag in question.tags if tag != question.topic
        }
        for written, weight in entries.items():
            if re.search(r"\w{2}", written):
                rows.append(Phrase(written, question.family, weight, pattern_of(written)))
    return rows


def traits() -> list[tuple[str, str]]:
    """(key, title) of each trait."""
    return [(key, row["title"]) for key, row in read_vocabulary()["traits"].items()]
