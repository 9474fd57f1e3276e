"""Which words of two short texts stand in both: what is marked where prose is shown side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

LEAST = 4
"""Words in a row that are marked; fewer stand in any two texts."""
MOST_WORDS = 3000
"""Of longer texts everything is marked: matching them word by word takes longer than anybody waits."""
_WORD = re.compile(r"\S+\s*|^\s+")
_BARE = re.compile(r"\W+")

Pieces = list[tuple[str, bool]]
"""A line cut where marking begins and ends: (text, is shared)."""


def shared_words(left: Sequence[str], right: Sequence[str]) -> tuple[list[Pieces], list[Pieces]]:
    """The pieces of each line on both sides."""
    words = [
        [(at, word) for at, line in enumerate(rows) for word in _WORD.findall(line)]
        for rows in (left, right)
    ]
    if max(map(len, words)) > MOST_WORDS:
        return [[(line, True)] for line in left], [[(line, True)] for line in right]
    bare = [[_BARE.sub("", word).casefold() for _, word in side] for side in words]
    marks = [[False] * len(side) for side in words]
    for block in SequenceMatcher(None, bare[0], bare[1], autojunk=False).get_matching_blocks():
        if block.size >= LEAST:
            for side, start in enumerate((block.a, block.b)):
                marks[side][start : start + block.size] = [True] * block.size
    first, second = (
        _lines(side, mark, len(rows))
        for side, mark, rows in zip(words, marks, (left, right), strict=True)
    )
    return first, second


def _lines(words: Sequence[tuple[int, str]], marks: Sequence[bool], count: int) -> list[Pieces]:
    found: list[Pieces] = [[] for _ in range(count)]
    for (at, word), marked in zip(words, marks, strict=True):
        line = found[at]
        if line and line[-1][1] == marked:
            line[-1] = (line[-1][0] + word, marked)
        else:
            line.append((word, marked))
    return found
