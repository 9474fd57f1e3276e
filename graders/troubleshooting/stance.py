"""Whether a sentence says that something is so, or puts it aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from graders.troubleshooting.languages import denials, lacks, says, words
from graders.troubleshooting.patterns import Hit, group, hits

STATES, DISMISSES = "states", "dismisses"

_CLAUSE = re.compile(
    r"[;:]\s|,?\s+(?:but|however|whereas|while|yet|although|though)\s|\s[-–—]+\s"
    r"|,\s+(?=(?:so|and|which|not|it|this|that|the|all|its)\s)",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\s+(?:only|just|merely|longer)\b", re.IGNORECASE)
_FEW_WORDS = 4
_LONGEST_HEADING = 90
_WHOLE = 0.8
_CURT_WORDS = 2
_CURT = (
    "no",
    "nope",
    "not",
    "ok",
    "okay",
    "fine",
    "nein",
    "nicht",
    "non",
    "sano",
    "ok so far",
    "cleared",
)
"""A heading of one word that says that nothing below it is a cause."""


@cache
def _aside() -> str:
    return "|".join(words()["aside"])


def sets_aside(text: str, languages: Sequence[str] = ("en",)) -> bool:
    """Whether the words that put something aside stand anywhere in the text."""
    return bool(hits(_aside(), text) or says("aside", text, languages))


def heads_aside(text: str, languages: Sequence[str] = ("en",)) -> bool:
    """Whether a heading or leading line puts aside what stands below it."""
    if not text or len(text) > _LONGEST_HEADING:
        return False
    if text.strip(" *_:-–").lower() in _CURT:
        return True
    named = [hit for hit in says("headings", text, languages) if hit.words.lower() not in _CURT]
    if sets_aside(text, languages) or named:
        return True
    if len(text.split()) <= _CURT_WORDS and says("headings", text, languages):
        return True
    return lacks(text, languages) or bool(denials(text, languages, ()))


def blames(text: str) -> bool:
    """Whether the text makes something a cause."""
    return bool(hits(words()["blames"], text))


def points_back(text: str, languages: Sequence[str] = ("en",)) -> bool:
    """Whether a sentence without a subject of its own puts aside what stands before it."""
    if hits(words()["points_back_by_itself"], text):
        return True
    start = group(words()["points_back"]).match(text.lstrip(" \t\"'(-–"))
    if start is None:
        return False
    return sets_aside(text, languages) or bool(denials(text, languages, ()))


def stance(
    text: str,
    found: Sequence[Hit],
    others: Sequence[Hit] = (),
    languages: Sequence[str] = ("en",),
) -> str:
    """What the text does with the words that were found in it."""
    return told(text, found, others, languages)[0]


def told(
    text: str, found: Sequence[Hit], others: Sequence[Hit], languages: Sequence[str]
) -> tuple[str, bool]:
    """(what the text does with the words that were found in it, whether it says so in words of its own).

    `others` are the words of other subjects: what stands beyond the clause that parts them from these
    speaks of those. Words that are themselves a negation ("no GDRDMA") are not one, and what stands
    within quotation marks is somebody else's. A bare negation before a word is the weaker way to put aside.
    """
    own = [one for one in others if not any(one.meets(h) for h in found)]
    start, end = scope(text, found, own)
    own_words = _unquoted(text)
    listed = [*found, *own]
    if _heads_list(own_words, listed, languages) or _ends_list(own_words, listed, languages):
        return DISMISSES, True
    part = own_words[start:end]
    moved = [Hit(hit.start - start, hit.end - start, hit.words) for hit in found]
    cues = [*hits(_aside(), part), *says("aside", part, languages)]
    if any(not any(hit.meets(cue) for hit in moved) for cue in cues):
        return DISMISSES, True
    if denials(part, languages, moved) or _well(own_words, found):
        return DISMISSES, True
    return (DISMISSES, False) if _negated(own_words, found) else (STATES, True)


def _heads_list(text: str, named: Sequence[Hit], languages: Sequence[str]) -> bool:
    """Whether a sentence begins by putting aside all that it then lists, and blames none of it."""
    first, last = min(hit.start for hit in named), max(hit.end for hit in named)
    lead = text[:first]
    if len(named) < _LIST or len(lead.split()) > _FEW_WORDS or _CLAUSE.search(text[first:last]):
        return False
    if blames(text[first:]) or _COSTS.search(text):
        return False
    return sets_aside(lead, languages) or bool(denials(lead, languages, ()))


def _ends_list(text: str, named: Sequence[Hit], languages: Sequence[str]) -> bool:
    """Whether a sentence lists several things and then puts all of them aside ("A, B and C are harmless")."""
    order = sorted(named, key=lambda hit: hit.start)
    gaps = [text[one.end : other.start] for one, other in pairwise(order)]
    if not gaps or any(len(gap.split()) > _FEW_WORDS + 2 or ":" in gap for gap in gaps):
        return False
    tail = text[order[-1].end :]
    if len(tail.split()) > _LEAD_OUT:
        return False
    first = text[: order[0].start]
    if len(first.split()) > _FEW_WORDS + 2 or blames(first) or _COSTS.search(text):
        return False
    return sets_aside(tail, languages) or bool(denials(tail, languages, ()))


_LIST = 2
_LEAD_OUT = 16
_COSTS = re.compile(r"\d\s*(?:h|s|時間)(?![a-z])", re.IGNORECASE)
_QUOTED = re.compile(
    r"[\"“„«][^\"“”„»\n]{3,300}[\"”“»]|(?<!\w)'[^'\n]{6,300}'(?!\w)"
    r"|Reason=(?:'[^'\n]*'|\"[^\"\n]*\"|\S+)",
    re.IGNORECASE,
)


def _unquoted(text: str) -> str:
    """The text with blanks for what it quotes, unless it is nothing but a quotation."""
    for match in _QUOTED.finditer(text):
        length = match.end() - match.start()
        if length <= _WHOLE * len(text):
            text = text[: match.start()] + " " * length + text[match.end() :]
    return text


def _well(text: str, found: Sequence[Hit]) -> bool:
    """Whether it is said to be well, in the few words directly after it."""
    after = text[max(hit.end for hit in found) :]
    cues = hits(words()["well"], after)
    if not cues:
        return False
    between = after[: cues[0].start]
    if re.search(r"[.;:,]", between):
        return False
    words_between = between.split()
    places = sum(any(sign.isdigit() for sign in word) for word in words_between)
    return len(words_between) <= _FEW_WORDS + 3 * places


def _negated(text: str, found: Sequence[Hit]) -> bool:
    """Whether a negation stands directly before one of the words, but for words that lead to them."""
    first = min(hit.start for hit in found)
    for hit in found:
        terms = words()["negations"]
        if hit.start == first:
            terms = f"{terms}|{words()['first_negations']}"
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
    return frozenset(words()["fillers"].split("|"))


def scope(text: str, found: Sequence[Hit], others: Sequence[Hit]) -> tuple[int, int]:
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
