"""Whether a written part takes the whole plan back, wants none of it done, or cannot tell what is.

A plan is data and is played whatever is said of it; but who writes that it is not to be carried out has handed
in none. Only sentences about all of it are read; what waits for something ("not before the review") is a plan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.scaling.prose import any_of
from graders.scaling.tables import table
from graders.standing import BACK, GUESS, kind_of, sentences

TAKEN_BACK = "plan_taken_back"
"""The finding that leaves a plan without its measures, until an interviewer sets it aside."""
LONGEST = 600
_WORDS: Mapping[str, Sequence[str]] = table("withdrawn")


def _all_of(key: str) -> str:
    return rf"\b(?:{'|'.join(_WORDS[key])})\b"


_WHOLE = any_of([*_WORDS["whole"], *_WORDS["every"]])
_WHICH, _OPEN, _WAITS, _OTHERS, _SO, _NEEDS, _MAYBE = (
    any_of(_WORDS[key]) for key in ("which", "open", "waits", "others", "so", "needs", "maybe")
)
_PLAN, _NOTHING, _NOT, _DO, _DONE, _USELESS = (
    _all_of(key) for key in ("whole", "nothing", "not", "do", "done", "useless")
)
_NOT_DONE = [
    re.compile(one, re.IGNORECASE)
    for one in (
        rf"{_NOT}\s+(?:[\w'’]+\s+){{0,2}}?{_DO}.{{0,30}}{_PLAN}",
        rf"{_DO}\s+(?:\w+\s+){{0,2}}?{_NOTHING}",
        rf"{_NOTHING}.{{0,40}}(?:{_DONE}|{_DO})",
        rf"{_NOT},?\s+(?:\w+\s+){{0,2}}?{_PLAN}\s+(?:zu\s+)?{_DO}",
        rf"{_PLAN}\s+(?:[\w'’]+\s+){{0,3}}?{_NOT}\s+(?:[\w'’]+\s+){{0,3}}?{_DONE}",
        rf"{_PLAN}\s+(?:\w+\s+){{0,3}}?{_USELESS}",
    )
]
_VERB_LAST = re.compile(
    r"\b(?:plan|alles|davon|bestellungen)\b.{0,30}\bnicht\s+(?:\w+\s+){0,2}?"
    r"(?:umsetzen|ausführen|bestellen|kaufen|aufgeben|tun)\b",
    re.IGNORECASE,
)
"""In German a whole plan may stand first and what is not done with it last."""
_ALTERNATIVES = 2


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The sentence that leaves nothing of the plan, and the section in which it stands."""

    section: str
    quote: str


def withdrawn(sections: Mapping[str, str]) -> Withdrawn | None:
    """The first sentence that takes the whole plan back, or None."""
    for section, text in sections.items():
        for sentence in sentences(text):
            if (
                len(sentence) <= LONGEST
                and not _OTHERS.search(sentence)
                and _leaves_nothing(sentence)
            ):
                return Withdrawn(section, sentence[:300])
    return None


def _leaves_nothing(sentence: str) -> bool:
    kind = kind_of(sentence)
    if kind == BACK and _WHOLE.search(sentence):
        return True
    denied = any(one.search(sentence) for one in (*_NOT_DONE, _VERB_LAST))
    if denied and not _WAITS.search(sentence):
        return True
    if kind != GUESS or not _OPEN.search(sentence):
        return False
    return _WHICH.search(sentence) is not None or _guessed(sentence)


def _guessed(sentence: str) -> bool:
    """Whether it strings together what might have to be bought and draws nothing from it."""
    if _SO.search(sentence) or not _NEEDS.search(sentence):
        return False
    return len(_MAYBE.findall(sentence)) >= _ALTERNATIVES
