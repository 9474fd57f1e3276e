"""Which words of a job description speak for which topics: a written vocabulary, no statistics."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from library.models import Question

FILE = Path(__file__).parent / "vocabulary.toml"
LONGEST_TEXT = 30_000  # characters of a job description that are read
TITLE = 120  # characters at its beginning, where it says what the job is called
NEAR = 3
"""Words that may stand between those of a phrase that is found out of its order."""
BETWEEN = r"[\s\-/.:]+"
SENTENCE = re.compile(r"[^.;!?\n](?:[^.;!?\n]|[.](?=\w)|\n(?=[a-z]))*")
"""Up to its stop, or to the end of a line that does not go on in small letters: lists have no stops."""
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
    """Each phrase that the text has, once, in the vocabulary's order.

    First as it is written; where that is not there, its words or their synonyms in any order, close together
    in one sentence ("upgrade drivers" for "driver upgrade"). What speaks of something else is not read
    ("hybrid working", "a learning budget").
    """
    text = _aside().sub(lambda met: ";" * len(met.group()), text[:LONGEST_TEXT])
    loose, in_order = _Words(text), read_vocabulary()["in_order"]["phrases"]
    found = []
    for phrase in known:
        match = phrase.pattern.search(text)
        words = match.group() if match else ""
        if not words and phrase.written not in in_order:
            words = loose.near(phrase.written)
        if words:
            found.append(Found(re.sub(r"\s+", " ", words), phrase.topic, phrase.weight))
    return found


@cache
def _aside() -> re.Pattern[str]:
    """What is not read; in its place come stops, so that the words around it make no phrase."""
    written = read_vocabulary()["aside"]["phrases"]
    return re.compile("|".join(pattern_of(one).pattern for one in written), re.IGNORECASE)


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Word -> all that mean the same, itself among them."""
    groups = read_vocabulary()["synonyms"]["groups"]
    return {word: tuple(group) for group in groups for word in group}


def level_of(text: str) -> tuple[str, str]:
    """(level, the word that says so) of a description's title; two empty texts where it says none, or two."""
    title = text.strip()[:TITLE]
    said = [
        (level, met.group())
        for level, words in read_vocabulary()["levels"].items()
        for written in words
        if (met := pattern_of(written).search(title))
    ]
    return said[0] if len({level for level, _ in said}) == 1 else ("", "")


class _Words:
    """Where each word of a text stands; words of different sentences are far apart."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] = []
        self._at: defaultdict[str, list[int]] = defaultdict(list)
        place = 0
        for sentence in SENTENCE.finditer(text):
            for word in re.finditer(r"\w+", sentence.group()):
                start = sentence.start() + word.start()
                self._at[word.group().lower()].append(place)
                self._spans.append((start, start + len(word.group())))
                place += 1
            self._spans += [(0, 0)] * (2 * NEAR)
            place += 2 * NEAR
        self._sorted = sorted(self._at)

    def near(self, written: str) -> str:
        """The stretch of the text that has all words of the phrase, or nothing."""
        parts = [part for part in re.split(r"[\s\-/.]+", written) if part]
        if all(len(part) < 3 for part in parts):
            return ""
        places = [self._places(part) for part in parts]
        if not all(places):
            return ""
        if len(parts) == 1:
            return self._between(places[0][0], places[0][0])
        for first in places[0]:
            chosen = [min(each, key=lambda at: abs(at - first)) for each in places]
            low, high = min(chosen), max(chosen)
            if high - low < len(parts) + NEAR and len(set(chosen)) == len(parts):
                return self._between(low, high)
        return ""

    def _between(self, low: int, high: int) -> str:
        return self._text[self._spans[low][0] : self._spans[high][1]]

    def _places(self, part: str) -> Sequence[int]:
        found: list[int] = []
        for word in synonyms().get(part, (part,)):
            if word.endswith("*"):
                found += self._beginning(word[:-1])
            else:
                for form in (word, f"{word}s"):
                    found += self._at.get(form, [])
        return sorted(found)

    def _beginning(self, prefix: str) -> Iterable[int]:
        for word in self._sorted[bisect_left(self._sorted, prefix) :]:
            if not word.startswith(prefix):
                return
            yield from self._at[word]


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
