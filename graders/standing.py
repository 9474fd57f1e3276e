"""Whether a text proposes something, puts it aside, takes it back, or only thinks it possible.

For tables and plans, in which most good sentences deny something ("GPUs that no job touched"): only words that
deny the worth of a measure count. What a relative clause says is said of a thing and not of the measure ("hours
that bring us nothing"), and a clause that goes on to propose something ("but ...") outweighs the one before.
The incident's grader reads causes, which are denied in other words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROPOSED, ASIDE, BACK, GUESS = "proposed", "aside", "back", "guess"
_FEW_WORDS = 3
_LONGEST = 2_000
"""Characters of a text that are read: a row is a sentence or two."""
_RELATIVE = re.compile(
    r"(,\s*(die|das|der)|\b(that|which|who|welche\w*|qui|que|che|they|sie(?! zu )|ils|elles|ellos|ellas))"
    r"\s+(\w+\s+){0,2}$",
    re.IGNORECASE,
)
_VERB_SECOND = re.compile(
    r"(lohn|rechn|rentier|bring|spar|hilf|helf|nütz|nutz|kost|komm|käme|wäre|würde|ist\b|wird\b|werd)",
    re.IGNORECASE,
)
"""German: right behind "das" or "die" a verb makes a sentence of its own; a relative clause has it last."""
_TURNS = re.compile(
    r"[,;.:]\s*(?:but|instead|rather|yet|however|sondern|stattdessen|vielmehr|aber|mais|plutôt|sino|pero)\s+",
    re.IGNORECASE,
)
_NOT_I = re.compile(
    r"\W*(?:(?:I|we|ich|wir|je|nous|on)\b[^.;]*(?:\bnot\b|n['’]t\b|\bnicht\b|\bkein\w*|\bpas\b|\bnever\b)"
    r"|no (?:me|lo|la|tengo|he|sé|puedo)\b)",
    re.IGNORECASE,
)
"""What somebody says of not having done or known proposes nothing."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+|(?<=。)")


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    table = tomllib.loads(Path(__file__).with_name("standing.toml").read_text(encoding="utf-8"))
    return tuple(re.compile(one, re.IGNORECASE) for row in table[kind].values() for one in row)


def standing(text: str) -> tuple[str, str]:
    """(what a row does with its measure, the words that say so); ("proposed", "") for most rows."""
    said = _after_turn(text[:_LONGEST])
    for kind in (BACK, ASIDE, GUESS):
        for hit in _hits(kind, said):
            return kind, hit
    return PROPOSED, ""


def _hits(kind: str, text: str) -> Iterator[str]:
    for pattern in _patterns(kind):
        for hit in pattern.finditer(text):
            if kind != BACK and _in_relative(text[: hit.start()], hit[0]):
                continue
            yield hit[0].strip(" .,:;–—?")


def _in_relative(before: str, hit: str) -> bool:
    """Whether the words are said in a relative clause, of the thing and not of the measure."""
    clause = _RELATIVE.search(before)
    if clause is None:
        return False
    return not (clause[2] and not clause[4] and _VERB_SECOND.match(hit))


def _after_turn(text: str) -> str:
    """What stands behind the last "but" or "instead", where that proposes something; else the whole text."""
    *_, last = _TURNS.split(text)
    quiet = not any(next(_hits(kind, last), "") for kind in (BACK, ASIDE, GUESS))
    quiet = quiet and not _NOT_I.match(last)
    return last if quiet and len(last.split()) >= _FEW_WORDS and last != text else text


def kind_of(sentence: str) -> str:
    """What a sentence of a written part does with what it speaks of; "proposed" for most."""
    return next(
        (kind for kind in (BACK, ASIDE, GUESS) if next(_hits(kind, sentence), "")), PROPOSED
    )


def sentences(text: str) -> Iterator[str]:
    """The sentences of a written part; a line is at least one."""
    return filter(None, map(str.strip, _SENTENCE.split(text)))
