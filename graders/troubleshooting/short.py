"""What people shorten, written out: words of the trade, and names of machines without their first part."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from graders.troubleshooting.patterns import LETTERS, flat

_ALONE = rf"(?<![{LETTERS}./=-])(?:{{}})(?![{LETTERS}/=]|[.-]\w)"
_TAIL = re.compile(r"[a-z]+\d{2,}$", re.IGNORECASE)
_LISTED = re.compile(
    r"([a-z][a-z-]*)(\d{2,4})((?:\s?[/,+&]\s?\d{2,4}(?!\w|[.,]\d|\s?(?:[gtk]i?b|m?hz|w|s|ms|h|%|gpus?)\b))+)",
    re.I,
)
_DIGITS = re.compile(r"\d{2,4}")
_UNIT = "[KMGT]i?B|[MG]Hz|k?W|V|A|s|ms|h|min|rpm|TB|GPUs?"
_NUMBERED = re.compile(r"[a-z-]0\d\d$", re.IGNORECASE)
_NUMBER = re.compile(rf"(?<![{LETTERS}.,:\-\[])(0\d\d)(?![{LETTERS}%\]]|[.,:-]\d|\s?(?:{_UNIT})\b)")
"""With its noughts in front a number is no figure that anybody writes."""
_BRACKET = re.compile(r"(?<![\w-])([a-z]+)(?=\[\d)", re.IGNORECASE)


@cache
def _words() -> Sequence[tuple[re.Pattern[str], str]]:
    rows = tomllib.loads(Path(__file__).with_name("short.toml").read_text(encoding="utf-8"))
    plain = [(re.compile(_ALONE.format(short), re.I), long) for short, long in rows["words"]]
    return [*plain, *((re.compile(_ALONE.format(s)), long) for s, long in rows["capitals"])]


Names = frozenset[str]
"""The machines of one variant."""


@lru_cache(maxsize=8)
def _tails(names: Names) -> tuple[Mapping[str, str], re.Pattern[str] | None]:
    """What stands after the last hyphen of a name -> the name, where only one has it, and what finds them."""
    found = {name.rpartition("-")[2].lower(): name for name in names if "-" in name}
    count = Counter(name.rpartition("-")[2].lower() for name in names if "-" in name)
    tails = {tail: name for tail, name in found.items() if count[tail] == 1 and _TAIL.match(tail)}
    if not tails:
        return tails, None
    listed = "|".join(sorted(map(re.escape, tails), key=len, reverse=True))
    return tails, re.compile(rf"(?<![{LETTERS}-])({listed})(?![{LETTERS}])", re.IGNORECASE)


@lru_cache(maxsize=8)
def _stems(names: Names) -> Mapping[str, str]:
    """What stands before the number of a name, whole and after its last hyphen -> the whole."""
    found = {}
    for name in names:
        stem = name.rstrip("0123456789")
        if stem != name and "-" in stem:
            found[stem.rpartition("-")[2].lower()] = stem
            found[stem.lower()] = stem
    return found


@lru_cache(maxsize=8)
def _numbers(names: Names) -> Mapping[str, str]:
    """The number of a name as it is written there (`011`) -> the name, where only one has it."""
    found = {name[-3:]: name for name in names if _NUMBERED.search(name)}
    count = Counter(name[-3:] for name in names if _NUMBERED.search(name))
    return {number: name for number, name in found.items() if count[number] == 1}


def written_out(text: str, names: Names) -> str:
    """The text, through `flat`, with short words and short names of machines in full."""
    text = flat(text)
    for pattern, long in _words():
        text = pattern.sub(long, text)
    text = _LISTED.sub(lambda match: _each(match, names), text)
    stems = _stems(names)
    text = _BRACKET.sub(lambda match: stems.get(match[1].lower(), match[1]), text)
    numbers = _numbers(names)
    text = _NUMBER.sub(lambda match: numbers.get(match[1], match[1]), text)
    tails, pattern_of_tails = _tails(names)
    if pattern_of_tails is None:
        return text
    return pattern_of_tails.sub(lambda match: tails[match[1].lower()], text)


def _each(match: re.Match[str], names: Names) -> str:
    """`node-g001/009,015` as three names, if all of them are machines."""
    stem = _stems(names).get(match[1].lower())
    if stem is None:
        return match[0]
    found = [f"{stem}{number}" for number in (match[2], *_DIGITS.findall(match[3]))]
    return ", ".join(found) if names.issuperset(found) else match[0]
