"""What a statement was found to speak of, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from graders.troubleshooting.patterns import Hit
from graders.troubleshooting.sentences import Statement

MENTIONS = "mentions"
"""Verdict of words that neither claim nor put aside: a list of actions, or a hypothesis still open."""


@dataclass(frozen=True, slots=True)
class Match:
    """A statement speaks of `subject`. `places` locate it in this variant, `beside` those next to it.

    `wrong` are machines of the same kind that are not meant, `elsewhere` hosts, jobs, people or devices
    that are said of it and are not its own; `own` is whether one of its own is named, `field` whether
    the hypothesis's field for the place says so, which outweighs its words. `why` says what
    decided the verdict, `firm` whether it was put aside in so many words, `guess` that it is only
    thought possible, `sure` from 0 to 1 how plainly the words speak of the subject.
    """

    statement: str
    subject: str
    verdict: str
    why: str
    hits: tuple[Hit, ...]
    places: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    own: bool = False
    field: bool = False
    firm: bool = True
    guess: bool = False
    sure: float = 0.9

    @property
    def located(self) -> bool:
        return bool(self.places or self.beside)


@dataclass(slots=True)
class Read:
    """A statement, its text without markup and short forms, its language, and what it speaks of.

    `place` and `more` are the statement's, written out in the same way; `copied` is the file in which it
    stands word for word, `led` the words of an earlier sentence that put aside what follows them.
    """

    statement: Statement
    text: str
    matches: list[Match] = field(default_factory=list)
    language: str = "en"
    copied: str = ""
    place: str = ""
    more: str = ""
    led: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        return ("en",) if self.language in ("", "en") else (self.language, "en")
