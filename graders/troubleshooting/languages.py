"""Which language a text is written in, and the words by which that language denies, doubts or takes back."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graders.troubleshooting.patterns import Hit, hits, terms_source

NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "pl": "Polish",
    "ja": "Japanese",
}
"""The languages whose sentences are read; of any other only places, figures and the words of the trade are."""
_LEAST_WORDS = 4
_SOME = 5
_WORD = re.compile(r"[^\W\d_]+")
_KANA = re.compile(r"[぀-ヿ]")
_FEWEST_KANA = 2
"""Signs that no other language writes; its words have no blanks between them that could be counted."""
_JOINS = "and|und|et|y|e|en|but|mais|pero|sondern|sino|ma|mas|maar|so|which|because|weil|denn|as|ale|lecz|bo"
_ONLY = re.compile(
    r"\s+(?:only|just|merely|solely|alone|nur|bloß|seulement|uniquement|sólo|solo|solamente|else|other|longer)\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"(?:none|neither|nor|nothing|weder|noch|ni|né|nem|aucun\w*|ningun\w*)$", re.I)


@cache
def words() -> Mapping[str, Any]:
    """The whole of stance.toml."""
    return tomllib.loads(Path(__file__).with_name("stance.toml").read_text(encoding="utf-8"))


@cache
def _small() -> Mapping[str, frozenset[str]]:
    return {key: frozenset(row["small"].split("|")) for key, row in words()["languages"].items()}


def spoken(text: str) -> str:
    """The language of a text by its small words; "" if none of the known ones has as many as another would.

    Notes have few of them: there it is the one of which there are some, and far more than of any other.
    """
    if len(_KANA.findall(text)) >= _FEWEST_KANA:
        return "ja"
    found = [word.lower() for word in _WORD.findall(text)]
    counts = {key: sum(word in small for word in found) for key, small in _small().items()}
    best = max(counts, key=lambda key: counts[key])
    least = 2 if len(found) >= _LEAST_WORDS else 1
    others = max(count for key, count in counts.items() if key != best)
    clear = counts[best] >= _SOME and counts[best] >= 2 * others
    return best if clear or counts[best] >= max(least, len(found) * 0.08) else ""


def cues(kind: str, languages: Sequence[str]) -> str:
    """The terms of one kind (`aside`, `guesses` ...) in these languages, as one group of patterns."""
    return _cues(kind, tuple(languages))


@cache
def _cues(kind: str, languages: tuple[str, ...]) -> str:
    return "|".join(words()["languages"][key][kind] for key in languages if key)


@cache
def _denial(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What denies an effect: a negation and a word of effect, with up to four words between."""
    nots = terms_source(_cues("nots", languages))
    effects = terms_source(_cues("effects", languages))
    gap = rf"(?:[\s'-]+(?!(?:{_JOINS})\b)[\w'./-]+)" + r"{0,5}?[\s'-]+"
    after = rf"(?P<effect>{effects}){gap}(?P<late>{nots})"
    return re.compile(rf"(?P<early>{nots}){gap}(?:{effects})|{after}", re.IGNORECASE)


@cache
def _lack(languages: tuple[str, ...]) -> re.Pattern[str]:
    lacks, effects = (terms_source(_cues(kind, languages)) for kind in ("lacks", "effects"))
    any_of_it = r"any|an?|jede\w*|irgend\w+|eine?|une?|ningún|ninguna|alcun\w*|qualquer|enige?"
    return re.compile(rf"(?:{lacks})\s+(?:(?:{any_of_it})\s+)?(?:{effects})", re.IGNORECASE)


@cache
def _inverted() -> re.Pattern[str]:
    """What denies an effect of a whole subject: "Nor do the eight links of that GPU matter"."""
    verbs = r"do|does|did|is|are|was|were|can|could|will|would"
    between = r"(?:[\w'./-]+,?\s+){0,14}?"
    effects = terms_source(_cues("effects", ("en",)))
    return re.compile(rf"\b(?:nor|neither)\s+(?:{verbs})\s+{between}(?:{effects})", re.IGNORECASE)


def lacks(text: str, languages: Sequence[str]) -> bool:
    """Whether a heading speaks of what is without effect; in a sentence these words may mean anything."""
    return _lack(tuple(languages)).search(text) is not None


def denials(text: str, languages: Sequence[str], found: Sequence[Hit]) -> list[Hit]:
    """Where the text denies an effect; "no GDRDMA costs" denies GDRDMA and no cost."""
    turned = any(key in ("de", "nl", "fr") for key in languages)
    kept = []
    for match in _denial(tuple(languages)).finditer(text):
        late = match.group("late")
        if late is not None and not turned:
            continue
        start, end = match.span("late") if late is not None else match.span("early")
        word = Hit(start, end, text[start:end])
        whole = Hit(match.start(), match.end(), match.group())
        inside = any(hit.meets(whole) for hit in found)
        if _ONLY.match(text, end) or any(hit.meets(word) for hit in found):
            continue
        if late is None and inside and not _EACH.match(word.words):
            continue
        kept.append(whole)
    if "en" in languages:
        kept += [Hit(*m.span(), m.group()) for m in _inverted().finditer(text)]
    return kept


def says(kind: str, text: str, languages: Sequence[str]) -> list[Hit]:
    """Where the text has words of one kind in these languages."""
    terms = cues(kind, languages)
    return hits(terms, text) if terms else []
