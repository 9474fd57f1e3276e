"""Questions about somebody's own answer whose right answers are computed, and how an answer to one is judged.

A kind's part (`graders/<kind>/own_work.py`, KIND) proposes questions in the order in which it would put them;
`questions_of` takes the first four good ones, of as many topics as there are. Right is what came out when the
answer's program was played again, its plan was played, its rows were added up: never what somebody wrote down.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

from graders.kinds import Asked
from scenarios.company.profile.money import in_currency
from scenarios.kinds import kind_of, part
from scenarios.packs import load_pack

WANTED = 4
"""Questions of a round."""
LEAST = 2
"""Fewer are no round: one question says nothing."""
OPTIONS = 4
MOST_CHANCE = 0.25
"""What a blind guess may reach at most."""
RIGHT, NEAR, WRONG, OPEN = "right", "near", "wrong", "open"
"""What becomes of an answer; open: none was given."""
CHOICE, PLACE, NUMBER = "choice", "place", "number"
"""How a question is answered: one of four, one of four places in the own answer, a number."""
WITHIN, AROUND = 0.1, 0.25
"""Parts of the right number by which one that counts as right, and as near, may be off."""
ROUNDED = 0.01
"""Part by which a figure in a text may be off and still be the right one."""
DECADE = math.log(10)
"""Whoever knows no more than the size guesses somewhere within a factor of ten."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `shown` are (name, value) pairs that stand above it; `options` (key, text) pairs.

    `right` is an option's key, or the number; `near` further keys that count as near; `reckoning` says how
    the machine knows, for evaluators.
    """

    key: str
    topic: str
    prompt: str
    form: str
    right: str | float
    reckoning: str
    options: tuple[tuple[str, str], ...] = ()
    near: tuple[str, ...] = ()
    shown: tuple[tuple[str, str], ...] = ()
    unit: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, with what is right."""
        return {
            **self.asked(),
            "topic": self.topic,
            "right": self.right,
            "near": list(self.near),
            "reckoning": self.reckoning,
        }

    def asked(self) -> dict[str, Any]:
        """What the candidate is shown: nothing that tells what is right."""
        return {
            "key": self.key,
            "prompt": self.prompt,
            "form": self.form,
            "options": [list(one) for one in self.options],
            "shown": [list(one) for one in self.shown],
            "unit": self.unit,
        }


def question_from(data: Mapping[str, Any]) -> Question:
    """The question of its plain data."""
    return Question(
        key=data["key"],
        topic=data["topic"],
        prompt=data["prompt"],
        form=data["form"],
        right=data["right"],
        reckoning=data["reckoning"],
        options=tuple((str(key), str(text)) for key, text in data["options"]),
        near=tuple(data["near"]),
        shown=tuple((str(name), str(value)) for name, value in data["shown"]),
        unit=data["unit"],
    )


@dataclass(frozen=True, slots=True)
class Own:
    """An answer that is asked about. `prose` is what is written in it in words; `workload` the public one that
    the candidate ran last, "" where there is none."""

    asked: Asked
    prose: str = ""
    workload: str = ""

    @property
    def digest(self) -> str:
        """By which draws about this answer are told from draws about any other."""
        total = sha256()
        for path, text in sorted(self.asked.files.items()):
            total.update(f"{path}\n{len(text)}\n{text}".encode(errors="replace"))
        return total.hexdigest()


class Asker(ABC):
    """What a kind can ask somebody about their own answer."""

    needs_sandbox: bool
    """Whether finding questions runs anything of the answer's."""

    @abstractmethod
    def proposed(self, own: Own) -> Iterator[Question]:
        """Questions, the better ones first, each reckoned only when it is asked for.

        Whatever the answer does it is no error: an answer of which nothing can be asked has no questions.
        """


PLACE_OF_PART = "graders.{}.own_work"


def asker_of(pack: str) -> Asker | None:
    """Who asks about answers to the pack; None for a kind that asks nothing. Raises PackNotFound."""
    kind = kind_of(load_pack(pack).kind)
    if not _is_there(PLACE_OF_PART.format(kind.name)):
        return None
    found = part(kind, PLACE_OF_PART)
    if not isinstance(found, Asker):
        raise TypeError(f"{found!r} is no Asker.")
    return found


@cache
def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the kind's folder
        return False


def questions_of(own: Own, wanted: int = WANTED) -> list[Question]:
    """Up to so many good questions about the answer, none where fewer than LEAST are found."""
    asker = asker_of(own.asked.pack.name)
    entry = own.asked.files.get(own.asked.pack.entry)  # a cluster that was worked on has none
    if asker is None or (entry is not None and is_blank(entry)):
        return []
    return picked(own, asker.proposed(own), wanted)


def is_blank(text: str) -> bool:
    """Whether an answer that is a form has nothing in it: nobody is asked about what they did not do."""
    try:
        return _holds_nothing(json.loads(text))
    except ValueError:
        return not text.strip()


def _holds_nothing(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_holds_nothing(one) for one in value.values())
    if isinstance(value, list):
        return all(_holds_nothing(one) for one in value)
    return value is None or (isinstance(value, str) and not value.strip())


def picked(own: Own, proposed: Iterable[Question], wanted: int = WANTED) -> list[Question]:
    """The first good ones, half of them of one topic at most while others are to be had."""
    kept: list[Question] = []
    spare: list[Question] = []
    most, money = -(-wanted // 2), own.asked.profile.currency
    for found in proposed:
        one = in_own_money(found, money)
        if not is_good(one, own.prose):
            continue
        of_topic = sum(one.topic == other.topic for other in kept)
        (spare if of_topic >= most else kept).append(one)
        if len(kept) == wanted:
            break
    kept += spare[: wanted - len(kept)]
    return kept if len(kept) >= LEAST else []


def in_own_money(one: Question, currency: str) -> Question:
    """The question with our amounts in the company's currency; the candidate's words are options and stay."""
    return replace(
        one,
        prompt=in_currency(one.prompt, currency),
        reckoning=in_currency(one.reckoning, currency),
        unit=in_currency(one.unit, currency),
    )


def is_good(one: Question, prose: str) -> bool:
    """Whether a question is sound, is no gift to a guess, and is not answered by what the answer says."""
    texts = [text for _, text in one.options]
    sound = one.form == NUMBER or (
        len(set(texts)) == len(texts) and one.right in {key for key, _ in one.options}
    )
    return sound and chance(one) <= MOST_CHANCE and not is_given_away(one, prose)


def chance(one: Question) -> float:
    """What a blind guess reaches: the part of the options, or of a factor of ten, that is right."""
    if one.form != NUMBER:
        return 1 / max(1, len(one.options))
    if not isinstance(one.right, float) or one.right <= 0:
        return 1.0
    return math.log((1 + WITHIN) / (1 - WITHIN)) / DECADE


_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_FIGURE = re.compile(r"\d[\d,.']*\d|\d")


def is_given_away(one: Question, prose: str) -> bool:
    """Whether the answer's own words hold what is right and hold nothing of what is wrong.

    A number is given away by a figure in the text that is the right one but for rounding.
    """
    if one.form == NUMBER:
        right = float(one.right)
        return any(abs(value - right) <= ROUNDED * abs(right) for value in _figures(prose))
    said = f" {' '.join(_WORD.findall(prose.lower()))} "
    found = {key for key, text in one.options if _stands(text, said)}
    return found == {one.right}


def _stands(text: str, said: str) -> bool:
    words = " ".join(_WORD.findall(text.lower()))
    return bool(words) and f" {words} " in said


def _figures(prose: str) -> Iterator[float]:
    for found in _FIGURE.findall(prose):
        plain = found.replace(",", "").replace("'", "")
        if plain.count(".") <= 1:
            yield float(plain)


def judge(one: Question, given: object) -> str:
    """right, near, wrong or open: what an answer to the question comes to.

    A choice is given as an option's key, a number as a number or as its text.
    """
    if given in (None, ""):
        return OPEN
    if one.form != NUMBER:
        if given == one.right:
            return RIGHT
        return NEAR if given in one.near else WRONG
    value = number_in(given)
    if value is None:
        return OPEN
    off = abs(value - float(one.right))
    if off <= WITHIN * abs(float(one.right)):
        return RIGHT
    return NEAR if off <= AROUND * abs(float(one.right)) else WRONG


def number_in(given: object) -> float | None:
    """The number that was typed: blanks, a comma between thousands and a unit after it are no matter."""
    if isinstance(given, bool):
        return None
    if isinstance(given, int | float):
        return float(given) if math.isfinite(given) else None
    found = re.match(r"\s*(-?\d[\d\s,']*(?:\.\d+)?)", str(given))
    if not found:
        return None
    plain = re.sub(r"[\s,']", "", found.group(1))
    try:
        return float(plain)
    except ValueError:
        return None


def choice(
    own: Own,
    key: str,
    topic: str,
    prompt: str,
    right: str,
    wrong: Sequence[str],
    reckoning: str,
    *,
    form: str = CHOICE,
    near: Sequence[str] = (),
    shown: Sequence[tuple[str, str]] = (),
) -> Question | None:
    """A question with four options in an order that tells nothing; None where there are not enough of them.

    Options are texts; the same answer has them in the same order every time.
    """
    others = [text for text in dict.fromkeys(wrong) if text != right][: OPTIONS - 1]
    if len(others) < OPTIONS - 1:
        return None
    texts = drawn(f"{own.digest}/order of options/{key}", [right, *others])
    keyed = {text: str(number) for number, text in enumerate(texts, start=1)}
    return Question(
        key=key,
        topic=topic,
        prompt=prompt,
        form=form,
        right=keyed[right],
        reckoning=reckoning,
        options=tuple((keyed[text], text) for text in texts),
        near=tuple(keyed[text] for text in near if text in keyed and text != right),
        shown=tuple(shown),
    )


def drawn(seed: str, texts: Sequence[str]) -> list[str]:
    """The texts in an order that follows from the seed and from nothing that they say."""
    return sorted(texts, key=lambda text: sha256(f"{seed}/{text}".encode()).digest())
