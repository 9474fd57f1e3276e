"""Questions about a board of causes: what an observation hangs on, what tells two apart, what is gained.

Everything is right by construction: each line and chart of a variant's materials was made by a known cause, and
the run was reckoned for every set of causes put right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any

from graders.own_work import NUMBER, PLACE, Asker, Own, Question, choice, drawn
from graders.troubleshooting.answer import Answer, Pin, parse
from graders.troubleshooting.pins import NEAR, judge
from graders.troubleshooting.reading import read
from graders.troubleshooting.stance import STATES
from graders.troubleshooting.truth import Truth, truth_of
from graders.written import BadAnswer

Json = dict[str, Any]
MOST_LABEL = 110
LEAST_HOURS = 0.3
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Board:
    """An answer beside the truth. `claims`: cause of the variant -> how the answer puts it, in its own order;
    `pins`: what was pinned, as its author finds it again -> the pin, and what the cards say that hold it."""

    truth: Truth
    claims: dict[str, str]
    pins: dict[str, tuple[Pin, frozenset[str]]]


class BoardAsker(Asker):
    """Asks about boards of causes; nothing of the answer's is run."""

    needs_sandbox = False

    def proposed(self, own: Own) -> Iterator[Question]:
        """In turn: which observation would be gone, which source tells two causes apart, what both give."""
        asked = own.asked
        try:
            answer = parse(asked.files.get(asked.pack.entry, ""))
        except BadAnswer:
            return
        if answer.silent:
            return
        board = _board(answer, truth_of(asked.profile, asked.level, asked.seed))
        kinds = [make(own, board) for make in (_gone, _apart, _both, _missing)]
        for in_turn in zip_longest(*kinds):
            yield from (one for one in in_turn if one)


KIND = BoardAsker()


def _board(answer: Answer, truth: Truth) -> Board:
    """Causes that the variant has and the answer states, in the words of the first statement of each."""
    claims: dict[str, str] = {}
    cards: dict[str, set[str]] = {}
    for row in read(answer, truth)["statements"]:
        stated = [match["subject"] for match in row["matches"] if match["verdict"] == STATES]
        if row["hypothesis"]:
            cards.setdefault(row["hypothesis"], set()).update(stated)
        if len(stated) == 1 and stated[0] in truth.causes:
            claims.setdefault(stated[0], _short(row["text"]))
    pins = {
        _label(pin): (pin, frozenset(cards.get(one.id, ())))
        for one in answer.hypotheses
        for pin in one.pins
    }
    return Board(truth, claims, pins)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return f"“{plain if len(plain) <= MOST_LABEL else plain[: MOST_LABEL - 1].rstrip() + '…'}”"


def _label(pin: Pin) -> str:
    """A pin as its author finds it again."""
    line = " ".join(pin.text.split())
    told = f": {line[: MOST_LABEL - 20]}" if line and pin.kind != "chart" else ""
    return f"{pin.says()}{told}"


def _exactly(pin: Pin, truth: Truth) -> tuple[set[str], set[str]]:
    """(causes and herrings whose own sign it is, those that it might be taken for a sign of)."""
    judged = judge(pin, truth)
    around = {*judged.shows, *judged.about}
    file = truth.files.get(pin.path) if pin.kind in ("log", "config") else None
    if file is None or judged.finding:
        return set(judged.shows), around
    count = min(len(pin.text.strip().splitlines()) or 1, 60)
    return set(file.around(pin.line, count, 0)), around | set(file.around(pin.line, count, NEAR))


def _gone(own: Own, board: Board) -> Iterator[Question]:
    """Which of the own observations would not be there without one of the own causes.

    Where the board itself says so, since only that observation hangs on a card of the cause, it is not asked.
    """
    signs = {label: _exactly(pin, board.truth) for label, (pin, _) in board.pins.items()}
    for key, claim in board.claims.items():
        mine = [label for label, (shows, _) in signs.items() if shows == {key}]
        others = [label for label, (_, around) in signs.items() if key not in around]
        beside = [label for label in others if key in board.pins[label][1]]
        free = [label for label in mine if key not in board.pins[label][1]]
        right = free[:1] or (mine[:1] if beside else [])
        if not right:
            continue
        mixed = drawn(f"{own.digest}/gone/{key}", others)
        question = choice(
            own,
            f"gone/{key}",
            "gone",
            f"You say {claim}. Had this not been so, one of these observations of yours would not be there, or"
            " would read as in health. Which?",
            right[0],
            sorted(mixed, key=lambda label: label not in beside),
            f"It is a sign of {board.truth.causes[key].title.lower()}; the other three come from elsewhere.",
            form=PLACE,
        )
        if question:
            yield question


def _missing(own: Own, board: Board) -> Iterator[Question]:
    """Where something would be missing without one of the own causes, among what the answer does not cite."""
    sources, cited = _sources(board.truth), own.prose.lower()
    for key, claim in board.claims.items():
        shows = [
            name for name, keys in sources.items() if key in keys and not _is_cited(name, cited)
        ]
        others = [name for name, keys in sources.items() if key not in keys]
        if not shows:
            continue
        right = drawn(f"{own.digest}/missing/{key}", shows)[0]
        question = choice(
            own,
            f"missing/{key}",
            "gone",
            f"You say {claim}. Had this not been so, something would be missing, or read as in health, in one"
            " of these. In which?",
            right,
            _alike(own, right, others),
            f"{board.truth.causes[key].title} shows there and in none of the other three.",
        )
        if question:
            yield question


def _sources(truth: Truth) -> dict[str, frozenset[str]]:
    """Where one can look -> what shows there: files, and metrics with their series."""
    found = {path: frozenset(file.shows) for path, file in truth.files.items() if file.shows}
    by_metric: dict[str, set[str]] = {}
    shown = [(one.key, one.charts) for one in truth.key.causes]
    shown += [(one.key, one.charts) for one in truth.key.herrings]
    for key, charts in shown:
        for chart in charts:
            by_metric.setdefault(f"the metric {chart.metric}", set()).add(key)
    return found | {name: frozenset(keys) for name, keys in by_metric.items()}


def _apart(own: Own, board: Board) -> Iterator[Question]:
    """Where one of two own causes shows and the other does not: what to look at to tell them apart."""
    sources, cited = _sources(board.truth), own.prose.lower()
    for first, second in _pairs(own, board):
        tells = [
            name
            for name, keys in sources.items()
            if (first in keys) != (second in keys) and not _is_cited(name, cited)
        ]
        silent = [
            name for name, keys in sources.items() if (first in keys) == (second in keys)
        ] or [name for name in board.truth.files if name not in sources]
        if not tells:
            continue
        right = drawn(f"{own.digest}/apart/{first}/{second}", tells)[0]
        shown = first if first in sources[right] else second
        question = choice(
            own,
            f"apart/{first}/{second}",
            "apart",
            f"You say {board.claims[first]}, and {board.claims[second]}. In which of these would you see one of"
            " the two and not the other?",
            right,
            _alike(own, right, silent),
            f"Of the two only {board.truth.causes[shown].title.lower()} shows there; in the others both do"
            " or neither does.",
        )
        if question:
            yield question


def _pairs(own: Own, board: Board) -> Sequence[tuple[str, str]]:
    """Pairs of own causes, those that are easily confused or overlap first."""
    causes = board.truth.causes
    pairs = list(combinations(board.claims, 2))
    mixed = drawn(own.digest, [" ".join(pair) for pair in pairs])
    by_chance = {text: at for at, text in enumerate(mixed)}

    def close(pair: tuple[str, str]) -> tuple[bool, bool, int]:
        first, second = (causes[key] for key in pair)
        return (
            second.key not in first.overlaps,
            first.component != second.component,
            by_chance[" ".join(pair)],
        )

    return sorted(pairs, key=close)


def _is_cited(name: str, cited: str) -> bool:
    return name.removeprefix("the metric ").lower() in cited


def _alike(own: Own, right: str, names: Sequence[str]) -> list[str]:
    """Names of the same sort as the right one first, so that the sort tells nothing."""
    sort = _sort(right)
    mixed = drawn(f"{own.digest}/{right}", names)
    different: dict[str, str] = {}
    for name in mixed:  # one log of a kind: the same file of four nodes would be told by its name
        different.setdefault(_NUMBERS.sub("#", name), name)
    return sorted(different.values(), key=lambda name: _sort(name) != sort)


def _sort(name: str) -> str:
    return "metric" if name.startswith("the metric ") else name.partition("/")[0]


def _both(own: Own, board: Board) -> Iterator[Question]:
    """How many hours the job would have taken less with two own causes put right, and nothing else."""
    for first, second in _pairs(own, board):
        given = _given_back(board.truth, {first, second})
        if given is None or given < LEAST_HOURS:
            continue
        yield Question(
            key=f"both/{first}/{second}",
            topic="both",
            prompt=f"Suppose that of everything wrong only two things had been put right before the job began:"
            f" {board.claims[first]}, and {board.claims[second]}. By how many hours would it be shorter?",
            form=NUMBER,
            right=round(given, 2),
            reckoning=f"The run was reckoned with and without the two: {given:.1f} hours."
            f" {_reckoned(board.truth, first)}; {_reckoned(board.truth, second)}.",
            unit="hours",
        )


def _given_back(truth: Truth, keys: set[str]) -> float | None:
    table = truth.key.hours_without
    without = table.get(" + ".join(sorted(keys)))
    return None if without is None or "" not in table else table[""] - without


def _reckoned(truth: Truth, key: str) -> str:
    return f"{truth.causes[key].title} alone gives back {truth.causes[key].alone:.1f} hours"
