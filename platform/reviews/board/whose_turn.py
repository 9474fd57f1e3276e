"""Who has to act next, by name where somebody is named for it: the rule's turn, in people and words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from accounts.models import User
from assessments.standing import State, Turn
from hiring.models import Opening
from reviews.messages.results import TELLS

ASKS_FOR = {
    Turn.EXTENDING: "hiring.change_invitation",
    Turn.ASSIGNING: "reviews.add_assignment",
    Turn.GRADING: "assessments.add_gradingrun",
    Turn.DECIDING: "reviews.add_decision",
    Turn.TELLING: TELLS,
}
"""What the turn needs: of whoever invited and the hiring manager those who may, else anybody of ELSE."""
ELSE = {
    Turn.EXTENDING: "A recruiter",
    Turn.ASSIGNING: "A recruiter or hiring manager",
    Turn.GRADING: "An administrator",
    Turn.DECIDING: "A hiring manager",
    Turn.FEEDING_BACK: "An interviewer",
    Turn.TELLING: "A recruiter or hiring manager",
}
TO_DO = {
    Turn.EXTENDING: "invite again or let go",
    Turn.GRADING: "have it graded again",
    Turn.ASSIGNING: "ask somebody to score",
    Turn.SCORING: "score",
    Turn.DISCUSSING: "discuss what differs",
    Turn.FEEDING_BACK: "give feedback",
    Turn.DECIDING: "decide",
    Turn.TELLING: "tell the candidate",
}
CANDIDATES = {
    State.INVITED: "open the link",
    State.OPENED: "start",
    State.PRACTISED: "start",
    State.WORKING: "hand in",
    State.FEEDBACK: "start the revision",
    State.REVISING: "hand in the revision",
}
GIVES_FEEDBACK = "reviews.add_feedback"
WHO = {
    Turn.CANDIDATE: "The candidate",
    Turn.SCORING: "Whoever scores",
    Turn.FEEDING_BACK: "Whoever gives feedback",
    Turn.DISCUSSING: "Whoever has to discuss",
    Turn.ASSIGNING: "Whoever assigns",
    Turn.DECIDING: "Whoever decides",
    Turn.TELLING: "Whoever tells the result",
    Turn.EXTENDING: "Whoever invites",
    Turn.GRADING: "Whoever grades again",
}
"""The choices of the filter, beside people by name."""


def action_of(turn: Turn, state: State, round: int) -> str:
    """What is to be done: "score the revision"."""
    if turn == Turn.CANDIDATE:
        return CANDIDATES[state]
    said = TO_DO.get(turn, "")
    return f"{said} the revision" if turn == Turn.SCORING and round == 2 else said


class Staff:
    """The people whom lines may name, and what they may do; three queries, however many they are."""

    def __init__(self, people: Iterable[int], openings: Iterable[int], now: datetime) -> None:
        rows = Opening.objects.filter(pk__in=set(openings)).values_list("pk", "hiring_manager")
        self.managers = {pk: manager for pk, manager in rows if manager}
        wanted = {*people, *self.managers.values()}
        self.people = User.objects.in_bulk(wanted)
        self.now = now
        needed = {*ASKS_FOR.values(), GIVES_FEEDBACK}
        codes = {label.partition(".")[2]: label for label in needed}
        held = User.objects.filter(pk__in=wanted, groups__permissions__codename__in=codes)
        pairs = held.values_list("pk", "groups__permissions__codename")
        self.held = {(pk, codes[code]) for pk, code in pairs}

    def name(self, pk: int) -> str:
        return str(self.people[pk])

    def may(self, pk: int, permission: str) -> bool:
        person = self.people.get(pk)
        if person is None or not (person.is_active and person.is_staff):
            return False
        allowed = person.is_superuser or (pk, permission) in self.held
        return allowed and person.has_access(self.now)

    def next(
        self, turn: Turn, opening: int, invited_by: int, panel: tuple[int, ...]
    ) -> tuple[int, ...]:
        """Keys of the people whose turn it is; none where nobody is named for it."""
        if turn in ASKS_FOR:
            near = dict.fromkeys([self.managers.get(opening, 0), invited_by])
            if turn == Turn.EXTENDING:
                near = dict.fromkeys([invited_by])
            return tuple(pk for pk in near if self.may(pk, ASKS_FOR[turn]))
        if turn == Turn.FEEDING_BACK:
            return tuple(pk for pk in panel if self.may(pk, GIVES_FEEDBACK))
        return panel if turn in (Turn.SCORING, Turn.DISCUSSING) else ()
