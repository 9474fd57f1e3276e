"""Two people type into one text at once: line by line, nothing that either wrote is lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher

Lines = Sequence[str]


class _Change:
    """What one side made of a text: each of its lines (kept, other or gone), and what was added between.

    `lines[i]` is None where line i stays and a list of at most one line where not; `added[i]` stands
    before line i.
    """

    def __init__(self, base: Lines, other: Lines) -> None:
        self.lines: list[list[str] | None] = [None] * len(base)
        self.added: defaultdict[int, list[str]] = defaultdict(list)
        matched = SequenceMatcher(None, base, other, autojunk=False)
        for kind, start, end, first, last in matched.get_opcodes():
            if kind == "equal":
                continue
            new = list(other[first:last])
            for at in range(start, end):
                self.lines[at] = [new.pop(0)] if new else []
            self.added[end] += new


def merged(base: str, mine: str, theirs: str) -> str:
    """`theirs` with what was changed between `base` and `mine`.

    A line that only one side changed is as that side has it; one that both wrote anew is there in both
    versions, theirs first; what one side wrote anew is not taken out by the other. The same change on
    both sides counts once, so that merging what was merged before changes nothing.
    """
    if mine in (base, theirs):
        return theirs
    if theirs == base:
        return mine
    lines = base.split("\n")
    ours, others = _Change(lines, mine.split("\n")), _Change(lines, theirs.split("\n"))
    found: list[str] = []
    for at in range(len(lines) + 1):
        found += _both(others.added[at], ours.added[at])
        if at < len(lines):
            found += _line(lines[at], others.lines[at], ours.lines[at])
    return "\n".join(found)


def _line(base: str, theirs: list[str] | None, mine: list[str] | None) -> list[str]:
    if theirs is None and mine is None:
        return [base]
    if theirs is None or mine is None:
        return (mine if theirs is None else theirs) or []
    return _both(theirs, mine)


def _both(theirs: list[str], mine: list[str]) -> list[str]:
    """Theirs and then mine; what is on both sides once."""
    if mine == theirs:
        return theirs
    return [*theirs, *(line for line in mine if line not in theirs)]
