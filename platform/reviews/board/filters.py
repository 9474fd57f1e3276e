"""What of a board is shown: by state, by who acts next, overdue, by words; and how many are where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from accounts.models import User
from assessments.standing import WORDS, State, Turn
from reviews.board.lines import Line, Person
from reviews.board.whose_turn import WHO, Staff

ME = "me"
BY_NAME = "person-"


@dataclass(frozen=True)
class Wanted:
    """What the address asks for; what it cannot mean is left out."""

    state: State | None = None
    next: str = ""
    overdue: bool = False
    text: str = ""

    @classmethod
    def asked(cls, sent: Mapping[str, str]) -> Wanted:
        states = {state.value: state for state in State}
        return cls(
            state=states.get(sent.get("state", "")),
            next=sent.get("next", ""),
            overdue=sent.get("overdue", "") == "yes",
            text=" ".join(sent.get("q", "").split())[:100],
        )

    def has(self, line: Line, viewer: User, *, any_state: bool = False) -> bool:
        done = line.next
        if not any_state and self.state and done.standing.state != self.state:
            return False
        if self.overdue and not line.overdue:
            return False
        if not self.next:
            return True
        if self.next == ME:
            return viewer.pk in done.people or viewer.pk in done.deciders
        if self.next.startswith(BY_NAME):
            wanted = self.next.removeprefix(BY_NAME)
            return wanted in map(str, (*done.people, *done.deciders))
        return self.next == done.turn or (self.next == Turn.DECIDING and bool(done.deciders))

    def finds(self, person: Person) -> bool:
        return all(word in person.search for word in self.text.casefold().split())


@dataclass(frozen=True)
class Found:
    """people: those with a line that is wanted, and with these lines alone; counts: people by state.

    The counts are of everything else that is asked for, so that each says what choosing it would show.
    """

    people: list[Person]
    counts: Counter[State]
    total: int


def chosen(people: list[Person], wanted: Wanted, viewer: User) -> Found:
    counts: Counter[State] = Counter()
    found, total = [], 0
    for person in people:
        if wanted.text and not wanted.finds(person):
            continue
        lines = [line for line in person.lines if wanted.has(line, viewer, any_state=True)]
        if not lines:
            continue
        total += 1
        counts.update({line.next.standing.state for line in lines})
        if wanted.state:
            lines = [line for line in lines if line.next.standing.state == wanted.state]
        if lines:
            found.append(person._replace(lines=lines))
    return Found(found, counts, total)


def states_of(counts: Counter[State], wanted: Wanted) -> list[tuple[State, str, int]]:
    """(state, its words, people) of the states that anybody is in, in their order."""
    return [
        (state, words, counts[state])
        for state, words in WORDS.items()
        if counts[state] or state == wanted.state
    ]


def who_acts(people: list[Person], staff: Staff, viewer: User) -> list[tuple[str, str]]:
    """(value, words) of whom something waits for: oneself, kinds of people, then everybody by name."""
    met = {line.next for person in people for line in person.lines}
    named = {pk for done in met for pk in (*done.people, *done.deciders)}
    turns = {done.turn for done in met} | {Turn.DECIDING for done in met if done.deciders}
    first = [(ME, "Me")] if viewer.pk in named else []
    kinds = [(str(turn), WHO[turn]) for turn in WHO if turn in turns]
    others = sorted((staff.name(pk), pk) for pk in named if pk != viewer.pk)
    return [*first, *kinds, *((f"{BY_NAME}{pk}", name) for name, pk in others)]
