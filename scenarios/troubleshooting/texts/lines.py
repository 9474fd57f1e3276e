"""The contract between the texts and the key: a line knows which fault or herring made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple


class Line(NamedTuple):
    """One line of an artefact: when (ms UTC), its text without a line end, and whose trace it is.

    `tag` is the key of a fault or herring, or None for a line that belongs to nobody. Texts print
    the site's local time or UTC as the real tool does; `at_ms` is always UTC and is what sorts. `level` is
    the syslog word under which a journal or a kernel keeps it, which its text does not tell; "" elsewhere.
    """

    at_ms: int
    text: str
    tag: str | None = None
    level: str = ""


@dataclass(frozen=True)
class Document:
    """A finished artefact: its path among the materials and its lines in order."""

    path: str
    lines: tuple[Line, ...]

    def text(self) -> str:
        return "\n".join([*map(itemgetter(1), self.lines), ""])

    def evidence(self) -> Mapping[str, tuple[int, ...]]:
        """Tag -> numbers of its lines, counted from 1 as editors do."""
        return self._evidence

    @cached_property
    def _evidence(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines, start=1):
            if line.tag is not None:
                found.setdefault(line.tag, []).append(number)
        return {tag: tuple(numbers) for tag, numbers in found.items()}


def in_order(path: str, lines: Iterable[Line]) -> Document:
    """A log: lines sorted by time; lines of the same instant stay in the order given."""
    return Document(path, tuple(sorted(lines, key=itemgetter(0))))
