"""Hours that are spelled out or put together: "two and a quarter hours", "2 h 34 min", "un'ora e dieci"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_name("durations.toml").read_text(encoding="utf-8"))
_KINDS = {
    word: kind
    for kind in ("hour", "minute", "join", "article", "or")
    for word in _TABLE[kind].split("|")
}
_NUMBERS: dict[str, int] = _TABLE["numbers"]
_TENS: dict[str, int] = _TABLE["tens"]
_PARTS: dict[str, float] = _TABLE["parts"]
_NEVER_BEFORE = frozenset(_TABLE["never_before"].split("|"))
_NEVER_AFTER = frozenset(_TABLE["never_after"].split("|"))
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|[^\w\s'’-]")
_HALF_OF_GERMAN = re.compile(r"(.+?)ein(halb|viertel)$|(anderthalb|eineinhalb)$")
_GERMAN_TENS = re.compile(r"(.+)und(.+)$")
_POINT = frozenset(("point", "komma", "virgule", "coma", "virgola", "vírgula", "przecinek"))
_TEN = 10
_FEWEST_MINUTES = 30
_MINUTES_OF_AN_HOUR = 60


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str

    @property
    def kind(self) -> str:
        return _KINDS.get(self.text, "")

    @property
    def is_digits(self) -> bool:
        return self.text.isdigit()

    @property
    def number(self) -> float | None:
        """What the word counts, None for none: 12, "twelve", "zweieinhalb", "cinquantaquattro"."""
        if self.is_digits:
            return float(self.text)
        if self.text in _NUMBERS or self.text in _TENS:
            return float(_NUMBERS.get(self.text) or _TENS[self.text])
        if half := _HALF_OF_GERMAN.match(self.text):
            if half[3]:
                return 1.5
            return None if half[1] not in _NUMBERS else _NUMBERS[half[1]] + _PARTS[half[2]]
        if both := _GERMAN_TENS.match(self.text):
            one, ten = both[1].replace("ein", "eins"), both[2]
            return float(_TENS[ten] + _NUMBERS[one]) if ten in _TENS and one in _NUMBERS else None
        for ten, value in _TENS.items():
            if self.text.startswith(ten) and self.text[len(ten) :] in _NUMBERS:
                return float(value + _NUMBERS[self.text[len(ten) :]])
        return None


def durations(text: str) -> Iterator[tuple[int, int, float]]:
    """(start, end, hours) of every duration whose parts stand in more than one word, or that is spelled out.

    What a plain figure says ("2.3 h") is left to others, and so is what is said of a time of day, of every
    so many hours, or of what was before.
    """
    words = [_Word(m.start(), m.end(), m[0].lower()) for m in _TOKEN.finditer(text)]
    for at, word in enumerate(words):
        if word.kind == "hour":
            found = _around(words, at)
        elif word.kind == "minute" and len(word.text) > 1:
            found = _minutes(words, at)
        else:
            continue
        if found is not None:
            first, last, hours = found
            before = words[first - 1].text if first else ""
            after = words[last + 1].text if last + 1 < len(words) else ""
            if before not in _NEVER_BEFORE and after not in _NEVER_AFTER:
                yield words[first].start, words[last].end, hours


def _around(words: Sequence[_Word], at: int) -> tuple[int, int, float] | None:
    """First word, last word and hours of the duration whose unit stands at a place."""
    first, whole = _before(words, at)
    last, more = _after(words, at, counted=whole is not None)
    if whole is None and not more:
        return None
    plain = first == at - 1 and (words[first].is_digits or words[first].kind == "article")
    if not more and (plain or whole is None):
        return None
    return first, last, (1.0 if whole is None else whole) + more


def _before(words: Sequence[_Word], at: int) -> tuple[int, float | None]:
    """Where the count before a unit begins, and what it is."""
    first, value = _count_to(words, at - 1)
    if value is not None:
        return first, value
    part = at - 1
    if part >= 0 and words[part].text in _PARTS:
        size, first = _PARTS[words[part].text], part
        if part and words[part - 1].text in ("three", "trois", "tres", "tre", "três"):
            size, first = 3 * size, part - 1
        back = first - 1
        while back >= 0 and words[back].kind in ("article", "join"):
            back -= 1
        start, whole = _count_to(words, back)
        if whole is not None and back < first - 1:
            return start, whole + size
    return at, None


def _count_to(words: Sequence[_Word], at: int) -> tuple[int, float | None]:
    """A count whose last word stands at a place: "12", "twelve", "twenty six"."""
    value = words[at].number if at >= 0 else None
    if value is None:
        return at, None
    before = words[at - 1].text if at else ""
    if before in _POINT and at > 1 and value < _TEN and (whole := words[at - 2].number) is not None:
        return at - 2, whole + value / _TEN
    if before in _TENS and value < min(_TENS.values()):
        return at - 1, _TENS[before] + value
    return at, value


def _after(words: Sequence[_Word], at: int, *, counted: bool) -> tuple[int, float]:
    """The last word that goes on from a unit, and the part of an hour that it adds."""
    here, joined = at + 1, False
    while here < len(words) and words[here].kind in ("join", "article"):
        joined = joined or words[here].kind == "join"
        here += 1
    if here >= len(words):
        return at, 0.0
    tripled = words[here].text in ("three", "trois", "tres", "tre", "três")
    part = here + 1 if tripled else here
    if part < len(words) and words[part].text in _PARTS:
        return (part, _PARTS[words[part].text] * (3 if tripled else 1)) if joined else (at, 0.0)
    value, last = words[here].number, here
    if words[here].text in _TENS and here + 1 < len(words):
        one = words[here + 1].number
        if one is not None and one < min(_TENS.values()) and not words[here + 1].is_digits:
            value, last = (value or 0.0) + one, here + 1
    if value is None or value >= _MINUTES_OF_AN_HOUR:
        return at, 0.0
    unit = last + 1
    if unit + 1 < len(words) and words[unit].kind == "or" and words[unit + 1].number is not None:
        unit += 2
    if unit < len(words) and words[unit].kind == "minute":
        return unit, value / _MINUTES_OF_AN_HOUR
    written = words[here].is_digits and len(words[here].text) == 2 and words[at].text == "h"
    spelled = not words[here].is_digits and (joined or not counted)
    return (last, value / _MINUTES_OF_AN_HOUR) if written or spelled else (at, 0.0)


def _minutes(words: Sequence[_Word], at: int) -> tuple[int, int, float] | None:
    """Minutes that are spelled out and stand for themselves."""
    first, value = _count_to(words, at - 1)
    if value is None or value < _FEWEST_MINUTES or words[at - 1].is_digits:
        return None
    if first and words[first - 1].kind in ("hour", "join"):
        return None
    return first, at, value / _MINUTES_OF_AN_HOUR
