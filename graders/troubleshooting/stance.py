"""Whether a sentence says that something is so, or puts it aside."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graders.troubleshooting.patterns import Hit, group, hits

STATES, DISMISSES = "states", "dismisses"

_CLAUSE = re.compile(
    r"[;:]\s|,?\s+(?:but|however|whereas|while|yet|although|though)\s|\s[-–—]+\s"
    r"|,\s+(?=(?:so|and|which|not|it|this|that|the|all|its)\s)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\s+(?:only|just|merely|longer)\b", re.IGNORECASE)
_FEW_WORDS = 4


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("stance.toml").read_text(encoding="utf-8"))


@cache
def _aside() -> str:
    return "|".join(_words()["aside"])


def sets_aside(text: str) -> bool:
    """Whether the words that put something aside stand anywhere in the text."""
    return bool(hits(_aside(), text))


def blames(text: str) -> bool:
    """Whether the text makes something a cause."""
    return bool(hits(_words()["blames"], text))


def points_back(text: str) -> bool:
    """Whether a sentence without a subject of its own puts aside what stands before it."""
    start = group(_words()["points_back"]).match(text.lstrip(" \t\"'(-–"))
    return start is not None and sets_aside(text)


def stance(text: str, found: Sequence[Hit], others: Sequence[Hit] = ()) -> str:
    """What the text does with the words that were found in it.

    `others` are the words of other subjects: what stands beyond the clause that parts them from these
    speaks of those. Words that are themselves a negation ("no GDRDMA") are not one.
    """
    start, end = _scope(
        text, found, [one for one in others if not any(one.meets(h) for h in found)]
    )
    for cue in hits(_aside(), text[start:end]):
        moved = Hit(cue.start + start, cue.end + start, cue.words)
        if not any(hit.meets(moved) for hit in found):
            return DISMISSES
    if _well(text, found) or _negated(text, found):
        return DISMISSES
    return STATES


def _well(text: str, found: Sequence[Hit]) -> bool:
    """Whether it is said to be well, in the few words directly after it."""
    after = text[max(hit.end for hit in found) :]
    cues = hits(_words()["well"], after)
    if not cues:
        return False
    between = after[: cues[0].start]
    return len(between.split()) <= _FEW_WORDS and not re.search(r"[.;:,]", between)


def _negated(text: str, found: Sequence[Hit]) -> bool:
    """Whether a negation stands directly before one of the words, but for words that lead to them."""
    first = min(hit.start for hit in found)
    for hit in found:
        terms = _words()["negations"]
        if hit.start == first:
            terms = f"{terms}|{_words()['first_negations']}"
        for cue in hits(terms, text[: hit.start]):
            if _ONLY.match(text, cue.end) or any(one.meets(cue) for one in found):
                continue
            if _leads(text[cue.end : hit.start]):
                return True
    return False


def _leads(between: str) -> bool:
    if re.search(r"[.;:,()]", between):
        return False
    words = between.lower().split()
    return len(words) <= _FEW_WORDS and all(word in _fillers() for word in words)


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_words()["fillers"].split("|"))


def _scope(text: str, found: Sequence[Hit], others: Sequence[Hit]) -> tuple[int, int]:
    """The part of the text that speaks of these words: up to the clauses in which other words stand."""
    first, last = min(hit.start for hit in found), max(hit.end for hit in found)
    borders = [(m.start(), m.end()) for m in _CLAUSE.finditer(text)]
    before = max((one.end for one in others if one.end <= first), default=None)
    after = min((one.start for one in others if one.start >= last), default=None)
    start, end = 0, len(text)
    if before is not None:
        start = min((e for s, e in borders if before <= s and e <= first), default=before)
    if after is not None:
        end = max((s for s, e in borders if last <= s and e <= after), default=after)
    return start, end
