"""Are candidates of different groups selected at different rates? From voluntary answers alone.

A group so small that its counts would tell about single people is hidden, and so is one from which they
could be worked out. What became of a group never decides that: nobody selected of many is the first
thing that such a report is for. Openings are therefore reported either alone or all the others
together, never both ways:
no two tables share a candidate, so that none can be subtracted from another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hiring.models import Opening
from reviews.fairness.self_descriptions import Question, questions
from reviews.models import Decision, SelfDescription

LEAST = 5
"""No group of fewer people is shown."""
ALONE = 40
"""Decided candidates from which on an opening has a table of its own."""
FOUR_FIFTHS = 0.8
"""29 CFR 1607.4 D: a lower ratio of selection rates is generally seen as evidence of adverse impact."""
SELECTED = (Decision.Outcome.HIRE, Decision.Outcome.ADVANCE)
NOT_GIVEN = ""
NOT_GIVEN_LABEL = "Not answered"

Cells = tuple[int, int]
"""(selected, not selected)"""


@dataclass(frozen=True, slots=True)
class Group:
    """One group's counts; all of them None where it is hidden.

    rate: selected of all, 0 to 1. ratio: to the highest rate of any group. p: Fisher's exact test,
    two-sided, against the group with the highest rate; None for that group itself.
    """

    label: str
    selected: int | None = None
    total: int | None = None
    rate: float | None = None
    ratio: float | None = None
    p: float | None = None
    is_highest: bool = False

    @property
    def is_hidden(self) -> bool:
        return self.total is None

    @property
    def is_below(self) -> bool:
        return self.ratio is not None and self.ratio < FOUR_FIFTHS


@dataclass(frozen=True)
class Table:
    """One question's groups; `can_compare` where at least two groups that say something are shown.

    differs_unseen: under four fifths lies between groups of which one at least is hidden. It says
    neither which nor in whose favour.
    """

    question: Question
    groups: list[Group]
    differs_unseen: bool = False

    @property
    def hidden(self) -> int:
        return sum(group.is_hidden for group in self.groups)

    @property
    def can_compare(self) -> bool:
        return any(group.p is not None for group in self.groups)


@dataclass(frozen=True)
class Scope:
    """Some openings that are reported together. decided, answered: candidates."""

    title: str
    decided: int
    answered: int | None
    tables: list[Table] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Decided:
    """A candidate whose matter is decided for an opening, and what they said of themselves."""

    opening: int
    is_selected: bool
    answers: Mapping[str, str]


def decided_candidates() -> list[Decided]:
    """One for each candidate and opening whose latest decision ends the matter; in four queries."""
    latest: dict[tuple[int, int], str] = {}
    rows = Decision.objects.order_by("decided_at", "pk")
    for opening, candidate, outcome in rows.values_list("opening", "candidate", "outcome"):
        latest[opening, candidate] = outcome
    said: dict[tuple[int, int], Mapping[str, str]] = {}
    given = SelfDescription.objects.order_by("given_at", "pk")
    fields = ("invitation__opening", "invitation__candidate", "answers")
    for opening, candidate, answers in given.values_list(*fields):
        said[opening, candidate] = answers
    return [
        Decided(key[0], outcome in SELECTED, said.get(key, {}))
        for key, outcome in latest.items()
        if outcome in Decision.FINAL
    ]


def report() -> list[Scope]:
    """Each large opening alone, then all others together; scopes without anybody are left out."""
    return [_scope(title, people) for title, people in _reported_together()]


def all_counts() -> list[tuple[str, str, list[tuple[str, Cells]]]]:
    """(scope, question, [(group, counts)]) with nothing hidden: for whoever is charged with looking."""
    return [
        (
            title,
            question.text,
            [(_labels(question)[key], pair) for key, pair in counted(question, people).items()],
        )
        for title, people in _reported_together()
        for question in questions()
    ]


def _reported_together() -> list[tuple[str, list[Decided]]]:
    people = decided_candidates()
    count = Counter(person.opening for person in people)
    alone = [pk for pk, n in count.items() if n >= ALONE]
    titles = dict(Opening.objects.filter(pk__in=alone).values_list("pk", "title"))
    found = [
        (titles[pk], [person for person in people if person.opening == pk])
        for pk in sorted(alone, key=lambda pk: (titles[pk], pk))
    ]
    rest = [person for person in people if person.opening not in titles]
    if rest:
        found.append(("All other openings together" if found else "All openings", rest))
    return found


def _scope(title: str, people: Sequence[Decided]) -> Scope:
    answered = sum(bool(person.answers) for person in people)
    silent = len(people) - answered
    hides = 0 < answered < LEAST or 0 < silent < LEAST
    tables = [_table(question, people) for question in questions()]
    return Scope(title, len(people), None if hides else answered, tables)


def _table(question: Question, people: Iterable[Decided]) -> Table:
    labels = _labels(question)
    counts = counted(question, people)
    hidden = to_hide(counts)
    shown = {key: pair for key, pair in counts.items() if key not in hidden}
    said_something = {key: shown[key] for key, _ in question.options if key in shown}
    groups = [_group(key, labels[key], shown, said_something) for key in labels]
    compared = {key: counts[key] for key, _ in question.options if sum(counts[key])}
    return Table(question, groups, _differs_unseen(compared, hidden))


def _labels(question: Question) -> dict[str, str]:
    return {**dict(question.choices), NOT_GIVEN: NOT_GIVEN_LABEL}


def counted(question: Question, people: Iterable[Decided]) -> dict[str, Cells]:
    """Everybody's counts by what they said, as they are: nothing of this is for a page."""
    cells = {key: [0, 0] for key, _ in (*question.choices, (NOT_GIVEN, ""))}
    for person in people:
        said = person.answers.get(question.key, NOT_GIVEN)
        cells[said if said in cells else NOT_GIVEN][0 if person.is_selected else 1] += 1
    return {key: (pair[0], pair[1]) for key, pair in cells.items()}


def _differs_unseen(counts: Mapping[str, Cells], hidden: Iterable[str]) -> bool:
    rates = {key: pair[0] / sum(pair) for key, pair in counts.items()}
    top = max(rates.values(), default=0.0)
    low = {key for key, rate in rates.items() if rate < FOUR_FIFTHS * top}
    best = {key for key, rate in rates.items() if rate == top}
    unseen = set(hidden)
    return bool(low) and (bool(low & unseen) or best <= unseen)


def to_hide(counts: Mapping[str, Cells]) -> set[str]:
    """The groups whose counts stay hidden: small ones, and others so that no total gives them away.

    Whoever knows how many were decided in all can subtract what is shown. So at least two groups with
    people in them are hidden together, and they are no small group together either.
    """
    hidden = {key for key, pair in counts.items() if sum(pair) < LEAST}
    while True:
        inside = [sum(counts[key]) for key in hidden if sum(counts[key])]
        if not inside or (len(inside) > 1 and sum(inside) >= LEAST):
            return hidden
        left = [key for key in counts if key not in hidden]
        if not left:
            return hidden
        hidden.add(min(left, key=lambda key: (sum(counts[key]), key)))


def _group(
    key: str, label: str, shown: Mapping[str, Cells], compared: Mapping[str, Cells]
) -> Group:
    if key not in shown:
        return Group(label)
    selected, others = shown[key]
    rate = selected / (selected + others)
    if key not in compared or len(compared) < 2:
        return Group(label, selected, selected + others, rate)
    rates = {name: pair[0] / sum(pair) for name, pair in compared.items()}
    top = max(rates, key=lambda name: rates[name])
    if key == top:
        return Group(label, selected, selected + others, rate, 1.0, None, True)
    p = fisher(shown[key], compared[top])
    ratio = rate / rates[top] if rates[top] else 1.0  # nobody of any group was selected
    return Group(label, selected, selected + others, rate, ratio, p)


def fisher(one: Cells, other: Cells) -> float:
    """Two-sided p of Fisher's exact test of two groups."""
    from scipy.stats import fisher_exact

    return float(fisher_exact([list(one), list(other)]).pvalue)
