"""An answer made ready to be compared: its parts as symbols, and which of them are the author's own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graders.similarity.tokens import CODE, PROSE, Symbol, kind_of, symbols_of
from graders.similarity.winnowing import GRAINS, runs, winnowed

BREAK = "\x00"
"""Stands between texts that have nothing to do with each other, and is never compared."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Given:
    """What everybody has: starter files, brief, documents, logs, the library's pages, as runs by kind."""

    runs: Mapping[str, frozenset[int]] = field(
        default_factory=lambda: {CODE: frozenset(), PROSE: frozenset()}
    )

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> Given:
        """(path, text) of each; of the lines of long files that only differ in figures one is read."""
        found: dict[str, set[int]] = {CODE: set(), PROSE: set()}
        for path, text in texts:
            for kind, known in zip((CODE, PROSE), _known(kind_of(path), text), strict=True):
                found[kind].update(known)
        return cls({kind: frozenset(known) for kind, known in found.items()})

    def __or__(self, other: Given) -> Given:
        return Given({kind: self.runs[kind] | other.runs[kind] for kind in (CODE, PROSE)})


_WHOLE = 30_000
"""Characters up to which a text is read as one; of longer ones, logs and tables, each line by itself."""


# Briefs, starter files and documents of one exercise are mostly the same for all who do it.
@lru_cache(maxsize=128)
def _known(kind: str, text: str) -> tuple[frozenset[int], frozenset[int]]:
    """Runs of code and of prose that a text of this kind gives to whoever reads it."""
    programs = [*([text] if kind == CODE else ()), *_fenced(text)]
    code = {one for program in programs for one in _runs(symbols_of(program, CODE), CODE)}
    return frozenset(code), frozenset(_said(text))


def _said(text: str) -> set[int]:
    if len(text) <= _WHOLE:
        return set(_runs(symbols_of(text, PROSE), PROSE))
    lines = {_DIGITS.sub("0", line) for line in text.split("\n")}
    return {one for line in lines for one in _runs(symbols_of(line, PROSE), PROSE)}


def _runs(symbols: Sequence[Symbol], kind: str) -> list[int]:
    return runs([one.sign for one in symbols], GRAINS[kind].quoted)


def _fenced(text: str) -> list[str]:
    return text.split("```")[1::2]


@dataclass(frozen=True)
class Part:
    """A file or a section. `own`: for each symbol whether it is the author's and not the materials'."""

    key: str
    kind: str
    signs: Sequence[str]
    lines: Sequence[int]
    own: Sequence[bool]


Stretches = Sequence[tuple[str, int]]
"""Texts that are compared by themselves, each with the number of its first line."""


def part_of(key: str, kind: str, stretches: Stretches, given: Given) -> Part:
    """One file or section, whose texts may be several; a match never runs from one into the next."""
    found: list[Symbol] = []
    for text, line in stretches:
        found += [*symbols_of(text, kind, line), Symbol(BREAK, line)]
    signs = [one.sign for one in found]
    return Part(key, kind, signs, [one.line for one in found], _own(signs, kind, given))


def _own(signs: Sequence[str], kind: str, given: Given) -> list[bool]:
    own = [sign != BREAK for sign in signs]
    length, known = GRAINS[kind].quoted, given.runs[kind]
    for at, number in enumerate(runs(signs, length)):
        if number in known:
            own[at : at + length] = [False] * length
    return own


def json_texts(text: str) -> list[str] | None:
    """Everything that was written into the fields of a JSON answer, in order; None where it is none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return list(_leaves(data)) if isinstance(data, (dict, list)) else None


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)


def plain_answer(texts: Mapping[str, str], given: Given | None = None) -> list[Part]:
    """The parts of an answer whose files and sections are each one text: path -> text."""
    known = given or Given()
    found = []
    for key, text in texts.items():
        leaves = json_texts(text) if key.endswith(".json") else None
        stretches = [(text, 1)] if leaves is None else [(one, 1) for one in leaves]
        found.append(part_of(key, kind_of(key), stretches, known))
    return found


def fingerprints(parts: Iterable[Part]) -> set[int]:
    """What is kept of an answer to find others by, of all its parts together."""
    found: set[int] = set()
    for part in parts:
        grain = GRAINS[part.kind]
        numbers = runs(part.signs, grain.run)
        usable = [
            BREAK not in part.signs[at : at + grain.run] and any(part.own[at : at + grain.run])
            for at in range(len(numbers))
        ]
        found |= {numbers[at] for at in winnowed(numbers, grain.window, usable.__getitem__)}
    return found


def own_size(parts: Iterable[Part], kind: str) -> int:
    """How many symbols of one kind are the author's own."""
    return sum(sum(part.own) for part in parts if part.kind == kind)
