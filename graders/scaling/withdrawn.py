"""Whether a written part takes the whole plan back, wants none of it done, or cannot tell what is.

A plan is data and is played whatever is said of it; but who writes that it is not to be carried out has handed
in none. Only sentences about all of it are read; what waits for something ("not before the review") is a plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.scaling.prose import any_of
from graders.scaling.tables import table
from graders.standing import BACK, GUESS, kind_of, sentences

TAKEN_BACK = "plan_taken_back"
"""The finding that leaves a plan without its measures, until an interviewer sets it aside."""
LONGEST = 600
_WORDS: Mapping[str, Sequence[str]] = table("withdrawn")
_ALL = "|".join(_WORDS["whole"])
_NOT_DONE = any_of([one.replace("WHOLE", _ALL) for one in _WORDS["not_done"]])
_WHOLE = any_of([*_WORDS["whole"], *_WORDS["every"]])
_WHICH, _WAITS, _OTHERS = (any_of(_WORDS[key]) for key in ("which", "waits", "others"))


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
    if _NOT_DONE.search(sentence) and not _WAITS.search(sentence):
        return True
    return kind == GUESS and bool(_WHICH.search(sentence))
