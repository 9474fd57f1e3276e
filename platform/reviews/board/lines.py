"""One line for each exercise of each candidate: where it stands, whose turn it is, whether that is overdue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from accounts.models import User
from assessments.clock import Phase
from assessments.standing import (
    STAFF_OWE,
    Dispute,
    Facts,
    Standing,
    Turn,
    phase_of,
    standing_of,
    turn_of,
)
from reviews.board.stored import Begun, HandedIn, Link, Stored
from reviews.board.whose_turn import Staff, action_of
from reviews.messages.results import ASKED_FOR
from reviews.phases import in_minutes
from reviews.scoring.agreement import SETTLING

OWE_S = int(STAFF_OWE.total_seconds())


class Next(NamedTuple):
    """What has to happen: people are keys of the staff whose turn it is; deciders may decide meanwhile."""

    standing: Standing
    turn: Turn
    people: tuple[int, ...]
    deciders: tuple[int, ...]
    action: str


class Line(NamedTuple):
    """since: when the turn began, in seconds, 0 where that is held against nobody.

    mine: the viewer scores it, and so sees none of its times.
    """

    exercise: int
    attempt: str
    round: int
    next: Next
    since: int
    overdue: bool
    mine: bool


class Person(NamedTuple):
    """One invitation's candidate. label: as the viewer may know them; search: what finds them."""

    link: str
    candidate: int
    label: str
    search: str
    named: bool
    lines: list[Line]


class Reader:
    """Makes lines of what is stored, for one viewer at one instant."""

    def __init__(self, viewer: User, stored: Stored, now: datetime) -> None:
        self.viewer, self.stored, self.now = viewer, stored, now
        self.me = viewer.pk  # a request's user is looked through anew each time it is asked
        self.at = int(now.timestamp())
        links, panels = stored.links.values(), {row.panel for row in stored.answers.values()}
        people = {link.created_by for link in links}.union(*panels)
        self.staff = Staff(people, {link.opening for link in links}, now)
        self.sees_time = viewer.has_perm("assessments.view_timeevent")
        self.sees_names = viewer.has_perm("reviews.view_decision")
        self.sees_cards = self.sees_names and (
            viewer.has_perm("reviews.add_assignment") or viewer.has_perm("reviews.view_evaluation")
        )
        self._met: dict[tuple[object, ...], Next] = {}
        self._phases: dict[tuple[int, bool], Phase] = {}
        self._outcomes: dict[str, tuple[str, bool]] = {}

    def people(self) -> list[Person]:
        """Everybody in the order of what the viewer may read of them; those known by name come first."""
        found = [self._person(link) for link in self.stored.links.values()]
        return sorted(found, key=lambda person: (not person.named, person.label.casefold()))

    def _person(self, link: Link) -> Person:
        named = self.sees_names and link.candidate not in self.stored.hidden
        label = link.name if named else f"Candidate {link.pseudonym}"
        begun = self.stored.begun.get(link.key, [])
        lines = [self._line(row, link) for row in begun]
        if link.listed:
            there = {row.exercise for row in begun}
            wanted = self.stored.exercises_of.get(link.key, [])
            lines += [self._waiting(link, one) for one in wanted if one not in there]
        if len(lines) > 1:
            order = self.stored.exercises
            lines.sort(key=lambda line: (order[line.exercise].position, line.exercise))
        return Person(
            link.key, link.candidate, label, f"{label} {link.pseudonym}".casefold(), named, lines
        )

    def _waiting(self, link: Link, exercise: int) -> Line:
        """An exercise that was not started."""
        decision, ends, _ = self._decided(link)
        facts = Facts(link.window, link.opened, link.practised, decision=decision, ends=ends)
        done = self._next(facts, link)
        is_missed = done.turn == Turn.EXTENDING
        since = link.closes if is_missed else 0
        return Line(exercise, "", 1, done, since, overdue=is_missed, mine=False)

    def _line(self, row: Begun, link: Link) -> Line:
        answer, mine = self.stored.answers.get(row.key), row.key in self.stored.mine
        phase, left = self._phase(row), ""
        decision, ends, untold = self._decided(link)
        graded, done, asked, dispute = "", 0, 0, Dispute.NONE
        if answer:
            cards, panel = answer.cards, answer.panel
            done = len(cards) if cards == panel else len({*cards} & {*panel})
            graded, asked = answer.graded, len(panel)
            dispute = self._dispute(answer, done < asked, mine)
        elif self.sees_time and not mine:
            left = in_minutes(timedelta(seconds=row.deadline - self.at))
        facts = Facts(
            window=link.window,
            opened=True,
            phase=phase,
            graded=graded,
            cards=done,
            asked=asked,
            dispute=dispute,
            decision=decision,
            ends=ends,
            untold=untold,
        )
        found = self._next(facts, link, answer, mine=mine, left=left)
        since = self._since(found.turn, row, answer, link)
        overdue = 0 < since <= self.at - OWE_S
        return Line(row.exercise, row.key, facts.round, found, since, overdue, mine)

    def _next(
        self,
        facts: Facts,
        link: Link,
        answer: HandedIn | None = None,
        *,
        mine: bool = False,
        left: str = "",
    ) -> Next:
        """What follows from the facts; many lines share it, so it is found once for all of these."""
        panel, cards = (answer.panel, answer.cards) if answer else ((), ())
        about = (facts, link.opening, link.created_by, panel, cards, mine, left)
        if about not in self._met:
            self._met[about] = self._new(facts, link, panel, cards, mine, left)
        return self._met[about]

    def _new(
        self,
        facts: Facts,
        link: Link,
        panel: tuple[int, ...],
        cards: tuple[int, ...],
        mine: bool,
        left: str,
    ) -> Next:
        turn, standing = turn_of(facts), standing_of(facts, left)
        if turn == Turn.SCORING:
            panel = tuple(one for one in panel if one not in cards)
            if mine and self.me in panel:
                panel = (self.me,)  # whoever owes a scorecard need not know whose is in
        near = (link.opening, link.created_by, panel)
        return Next(
            standing,
            turn,
            self.staff.next(turn, *near),
            self.staff.next(Turn.DECIDING, *near) if turn == Turn.FEEDING_BACK else (),
            action_of(turn, standing.state, facts.round),
        )

    def _phase(self, row: Begun) -> Phase:
        """Of those that nothing is awaited of, which no clock changes, it is found once for all."""
        if row.awaited:
            return self._phase_now(row)
        about = (row.round, row.revised > 0)
        if about not in self._phases:
            self._phases[about] = self._phase_now(row)
        return self._phases[about]

    def _phase_now(self, row: Begun) -> Phase:
        return phase_of(
            row.round,
            datetime.fromtimestamp(row.deadline, UTC),
            row.multiplier,
            awaited=row.awaited,
            revision_opened=row.revised > 0,
            now=self.now,
        )

    def _dispute(self, answer: HandedIn, owed: bool, mine: bool) -> Dispute:
        """As far as the viewer may know that scorecards differ: as EvaluationQuerySet.known_to says."""
        knows = self.sees_cards and (not mine or self.me in answer.cards)
        if not knows or answer.answer not in self.stored.apart:
            return Dispute.NONE
        if owed:
            return Dispute.ASKED
        return Dispute.ANOTHER if len(answer.cards) < SETTLING else Dispute.TALK

    def _decided(self, link: Link) -> tuple[str, bool, bool]:
        """The newest decision's words, whether it ends the matter, whether the candidate is to be told."""
        decision = self.stored.decisions.get((link.opening, link.candidate))
        if decision is None:
            return "", False, False
        outcome = decision.outcome
        if outcome not in self._outcomes:  # Django makes the list of choices anew for each
            self._outcomes[outcome] = decision.get_outcome_display(), outcome in decision.FINAL
        words, ends = self._outcomes[outcome]
        is_old = decision.decided_at <= self.now - ASKED_FOR
        return words, ends, ends and decision.told_at is None and not is_old

    def _since(self, turn: Turn, row: Begun, answer: HandedIn | None, link: Link) -> int:
        """Since when the turn lasts; 0 where it is nobody's, or the clock's."""
        if turn == Turn.TELLING:
            return int(self.stored.decisions[link.opening, link.candidate].decided_at.timestamp())
        if turn == Turn.CANDIDATE:
            return row.revised if not row.awaited and row.round == 1 else 0
        if answer is None or turn == Turn.NOBODY:
            return 0
        if turn == Turn.SCORING:
            return max(answer.at, answer.last_asked)
        return max(answer.at, answer.last_card)
