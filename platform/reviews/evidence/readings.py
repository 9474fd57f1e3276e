"""How people correct what a grader read in a written answer: a reading of each kind, in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from graders.written import WrittenGrader
from scenarios import kinds
from scenarios.kinds import part

PLACE = "reviews.evidence.{}"
"""Where a kind's part for staff lies."""
Report = Mapping[str, Any]
Choices = list[tuple[str, list[tuple[str, str]]]]


class Reader(ABC):
    """How readings of one kind are dealt with.

    `verdicts` are what a person can say of a statement and a subject, in words; `said` the sentences
    that confirm it, with {quote} and {name}; `nothing` what a statement without a subject comes to.
    """

    grader: ClassVar[WrittenGrader[Any]]
    verdicts: ClassVar[Mapping[str, str]]
    said: ClassVar[Mapping[str, str]]
    nothing: ClassVar[str] = ""

    @abstractmethod
    def knows(self, subject: str) -> bool:
        """Whether statements of the kind can speak of it."""

    @abstractmethod
    def name(self, subject: str) -> str:
        """What the subject is called."""

    @abstractmethod
    def choices(self, reading: Report) -> Choices:
        """The subjects in groups, those of the variant first; groups of none are left out."""

    @abstractmethod
    def place(self, row: Report) -> str:
        """Where in the answer a statement stands."""

    def statements(self, reading: Report) -> list[dict[str, Any]]:
        """What people can correct, each with at least `id`, `text` and `matches`."""
        return list(reading["statements"])


def _readers() -> Iterator[Reader]:
    for kind in kinds.KINDS:
        found = part(kind, PLACE)
        if isinstance(found, Reader):
            yield found


def reader_of(report: Report | None) -> Reader | None:
    """The reader of a kept report; None where it holds no reading that people can correct."""
    return next((one for one in _readers() if one.grader.reading_in(report)), None)


def verdict_in_words(subject: str, verdict: str) -> str:
    """What a correction holds, for a log; "as the machine read it" where it was taken back."""
    known = next((one.verdicts for one in _readers() if one.knows(subject)), {})
    return known.get(verdict, "as the machine read it")


def statements_of(report: Report | None) -> list[dict[str, Any]]:
    """What people can correct, each with at least `id`, `text` and `matches`."""
    reader, reading = reader_of(report), reading_of(report)
    return reader.statements(reading) if reader and reading else []


def reading_of(report: Report | None) -> dict[str, Any] | None:
    """What the grader read in the answer; it holds the truth as well, so it is never shown as it is."""
    reader = reader_of(report)
    return reader.grader.reading_in(report) if reader else None
