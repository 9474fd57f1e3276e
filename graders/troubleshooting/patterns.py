"""The language in which the matching files say what people write, and what of it a text contains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

LETTERS = r"0-9A-Za-z_À-ӿ"
"""What words are made of; signs of scripts that set no blanks between words are borders."""
_GAP = r"\W+(?:\w+\W+){0,4}?"
_SPACE = r"[\s\-_/~≈]+"
_MACHINE = r"[a-z]+-?[a-z]*\d{3}"
_MARKUP = str.maketrans({**dict.fromkeys("*`|", " "), "’": "'", "\u2011": "-"})
_MOST = 8
"""Hits of one group that are tried; a sentence with more says the same thing again."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Words of a text from `start` to `end` (characters) that met a group."""

    start: int
    end: int
    words: str

    def meets(self, other: Hit) -> bool:
        return self.start < other.end and other.start < self.end


def flat(text: str) -> str:
    """The text without marks of Markdown that stand within words; every character keeps its place."""
    return text.translate(_MARKUP)


@cache
def group(terms: str) -> re.Pattern[str]:
    """Compiled alternatives of words; `*` any ending, `#` a number, `@` a machine, `~` up to four words."""
    return re.compile(terms_source(terms), re.IGNORECASE)


def terms_source(terms: str) -> str:
    """The source of the group's expression, for one that holds it."""
    return "|".join(_term(term) for term in terms.split("|"))


def _term(term: str) -> str:
    found, glue = "", ""
    for word in term.split():
        if word == "~":
            glue = _GAP
            continue
        found += (glue if found else "") + _token(word)
        glue = _SPACE
    return found


def _token(token: str) -> str:
    body = re.escape(token).replace(r"\*", f"[{LETTERS}]*").replace(r"\#", r"\d[\d.,]*")
    body = body.replace("@", _MACHINE)
    before = f"(?<![{LETTERS}])" if token[0].isalnum() or token[0] in "#@_" else ""
    after = f"(?![{LETTERS}])" if token[-1].isalnum() or token[-1] in "#@_" else ""
    return before + body + after


def hits(terms: str, text: str) -> list[Hit]:
    """Where the group is met in a text that went through `flat`, in order, each place once."""
    low = text.lower()
    if not any(stem in low for stem in _stems(terms)):
        return []
    return [Hit(m.start(), m.end(), m.group()) for m in group(terms).finditer(text) if m.group()]


@cache
def _stems(terms: str) -> tuple[str, ...]:
    """What the first word of each alternative begins with: a text without any of them is not searched."""
    return tuple(dict.fromkeys(re.split(r"[*#@]", term.split()[0])[0] for term in terms.split("|")))


def way_met(way: Sequence[str], text: str) -> tuple[Hit, ...] | None:
    """One hit for each group of the way, no two of the same words; None if a group is not met."""
    found = []
    for terms in way:
        here = hits(terms, text)[:_MOST]
        if not here:
            return None
        found.append(here)
    return min(_apart(found, ()), key=span, default=None)


def span(found: Sequence[Hit]) -> int:
    """Characters from the first of the words to the last."""
    return max(hit.end for hit in found) - min(hit.start for hit in found)


def _apart(found: Sequence[Sequence[Hit]], taken: tuple[Hit, ...]) -> Iterator[tuple[Hit, ...]]:
    if not found:
        yield taken
        return
    for hit in found[0]:
        if not any(hit.meets(other) for other in taken):
            yield from _apart(found[1:], (*taken, hit))
