"""Numbers and letters by which an answer calls its findings: "(a)", "2.", "X -"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

_LABEL = re.compile(
    r"^[\W_]{0,3}(?:(?:cause|finding|issue|problem|ursache|befund|fund|causa|hallazgo|constat|causale|problema)\s)?"
    r"(?:(\d{1,2})|([A-Za-z]|[A-Z]{1,2}\d{1,2}))(?:[\]).:](?!\d)|\s[-–—]\s|(?<=\d),\s)",
    re.IGNORECASE,
)
_SPAN = r"\s*(?:-|–|to|through|bis|à|a|hasta|al|até|tot|do)\s*"
_FEWEST = 2

Entry = tuple[object, str, Sequence[tuple[str, int]]]
"""(block, text, what it claims with the number of its words) of a sentence of the findings."""


def labelled(text: str) -> bool:
    """Whether a sentence begins with a number or letter of its own."""
    return _LABEL.match(text) is not None


def by_label(entries: Iterable[Entry]) -> dict[str, list[str]]:
    """Label -> what is claimed after it, in its block up to the next; each cause once, labels as they come.

    A cause that is claimed after several is that label's whose sentence says most of it.
    """
    plainest: dict[str, tuple[str, int]] = {}
    labels: dict[str, list[str]] = {}
    label, block = "", None
    rows = list(entries)
    counted = _counted([text for _, text, _ in rows])
    for at, text, claims in rows:
        if at != block:
            label, block = "", at
        match = _LABEL.match(text) or (_BARE.match(text) if counted else None)
        if match:
            label = match[1] or match[2].upper()
            labels.setdefault(label, [])
        for key, words in claims:
            if label and words > plainest.get(key, ("", 0))[1]:
                plainest[key] = label, words
    for key, (name, _) in plainest.items():
        labels[name].append(key)
    return {name: keys for name, keys in labels.items() if keys}


_NO_ARTICLE = (
    r"(?=\s*(?:[,.;:+/&)=>→–-]|$|(?:and|or|to|und|oder|bis|et|ou|y|o|e|first|next|then|zuerst|dann|before|vor|together"
    r"|alone|by|is|was|no|comes|goes|takes|needs|last|I|ist|war|est|es)\b))"
)
_NAMED = re.compile(
    r"\(([A-Za-z])\)|(?<![\w.])([a-z])(?:\)|(?=\s*[,:;]|\s+(?:et|und|and)\s+[a-z]\b))|(?:(?<=\bet\s)|(?<=\w,\s))([a-z])\b"
    rf"|(?<![\w.])([B-HJ-Z])(?![\w'’])|(?<![\w.])([AI])(?![\w'’]){_NO_ARTICLE}"
)


_BARE = re.compile(r"(\d{1,2})\s+(?=\S)")


def _counted(texts: Sequence[str]) -> bool:
    """Whether some of the sentences begin with 1, 2, 3 and so on, each once, without a sign behind it."""
    numbers = [int(match[1]) for text in texts if (match := _BARE.match(text))]
    return len(numbers) >= _FEWEST and numbers == list(range(1, len(numbers) + 1))


def in_places(text: str, labels: Mapping[str, Sequence[str]]) -> str:
    """The text with the letters of findings written as the places in which these stand, from 1."""
    places = {one: str(n) for n, one in enumerate(labels, start=1) if one.isalpha()}
    if len(places) < _FEWEST:
        return text
    return _NAMED.sub(lambda found: places.get(_letter(found), found[0]), text)


def named_in(text: str, labels: Mapping[str, Sequence[str]]) -> list[str]:
    """Letters of findings that a text names, with those between the two of a span ("A to D")."""
    known = [one for one in labels if one.isalpha()]
    if len(known) < _FEWEST:
        return []
    named = [(_letter(found), found.end()) for found in _NAMED.finditer(text)]
    said = [one for one, _ in named if one in known]
    for (first, end), (last, _) in pairwise(named):
        if first in known and last in known and re.match(rf"{_SPAN}[(A-Z]", text[end:]):
            said += [one for one in known if first <= one <= last]
    return list(dict.fromkeys(said))


def _letter(found: re.Match[str]) -> str:
    return next(one for one in found.groups() if one).upper()
