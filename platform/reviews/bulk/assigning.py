"""Who scores which answer of an opening: proposed evenly, nobody who knows the name, then asked one by one.

A proposal is a sum over what is open: whoever has the least to score gets the next answer, and answers
that few people can score come first. People change it by hand; the verb is `evaluations.assign`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.audit import note_action
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, Submission
from hiring.models import Opening, Sighting
from reviews.models import Assignment, Decision, Evaluation
from reviews.scoring import evaluations
from reviews.scoring.blindness import Pair, meetings
from reviews.visibility import attempts_overseen_by, may_be_asked_to_score, with_viewer

AT_ONCE = 200
"""Answers of one page; those that lack evaluators come first."""
NOT_ONESELF = "is you: nobody puts themselves on a panel"


@dataclass
class Answer:
    """One answer: who scores it, who could, who cannot and why, who is proposed."""

    attempt: Attempt
    has: list[User]
    cannot: dict[int, str] = field(default_factory=dict)
    """Key of a person -> why, in words that follow their name."""
    proposed: list[int] = field(default_factory=list)
    missing: int = 0
    """How many more are wanted than could be found."""


@dataclass
class Person:
    """Somebody who can be asked: what they owe already, and what the proposal adds."""

    user: User
    open_work: int
    added: int = 0
    cannot: int = 0


@dataclass
class Proposal:
    answers: list[Answer]
    people: list[Person]
    waiting: int
    """Answers of the opening that lack evaluators and are not on this page."""


class Asked(NamedTuple):
    """What became of what was ticked: how many were asked, and of the rest why not."""

    asked: int
    refused: list[str]


def evaluators(now: datetime) -> list[Person]:
    """Everybody who can be asked to score, with what they owe, in two queries."""
    users = User.objects.filter(may_be_asked_to_score(now)).distinct()
    owed = _open_work(users)
    people = [Person(user, owed[user.pk]) for user in users]
    return sorted(people, key=lambda person: str(person.user).casefold())


def _open_work(users: QuerySet[User]) -> Counter[int]:
    """How many answers each was asked to score, that are handed in, not scored and not decided."""
    # by the answers of the one attempt: SQLite would read all cards of the evaluator for each
    own = Evaluation.objects.submitted().filter(
        submission=OuterRef("pk"), evaluator=OuterRef(OuterRef("evaluator"))
    )
    card = Submission.objects.filter(Exists(own), attempt=OuterRef("attempt"))
    decided = Decision.objects.filter(
        opening=OuterRef("attempt__invitation__opening"),
        candidate=OuterRef("attempt__invitation__candidate"),
        outcome__in=Decision.FINAL,
    )
    answer = Submission.objects.filter(attempt=OuterRef("attempt"), superseded_at=None)
    rows = Assignment.objects.filter(
        Exists(answer), ~Exists(card), ~Exists(decided), evaluator__in=users
    )
    return Counter(dict(rows.values_list("evaluator").annotate(Count("pk")).order_by()))


def answers_of(opening: Opening, viewer: User) -> QuerySet[Attempt]:
    """What was handed in for the opening and is the viewer's to staff, oldest first."""
    handed_in = Submission.objects.filter(attempt=OuterRef("pk"), superseded_at=None)
    rows = with_viewer(attempts_overseen_by(viewer), viewer)
    rows = rows.filter(Exists(handed_in), invitation__opening=opening)
    rows = rows.select_related("invitation__candidate", "exercise")
    return rows.order_by("started_at", "pk")


def propose(
    opening: Opening, chosen: Iterable[int], each: int, *, viewer: User, now: datetime
) -> Proposal:
    """Who would score what, if the people chosen, by their keys, shared it: `each` for an answer.

    each=0 proposes nobody, for a form that is filled in by hand. Nothing is written.
    """
    wanted = set(chosen)
    people = [person for person in evaluators(now) if person.user.pk in wanted]
    waiting = answers_of(opening, viewer).annotate(asked_n=Count("assignments"))
    waiting = waiting.filter(asked_n__lt=each or opening.evaluators_per_answer)
    rows = list(waiting.prefetch_related("assignments__evaluator")[: AT_ONCE + 1])
    more = waiting.count() - AT_ONCE if len(rows) > AT_ONCE else 0
    answers = [
        Answer(row, [item.evaluator for item in row.assignments.all()]) for row in rows[:AT_ONCE]
    ]
    _exclude(answers, people, viewer)
    if each:
        _share(answers, people, each)
    return Proposal(answers, people, more)


def _exclude(answers: list[Answer], people: list[Person], viewer: User) -> None:
    """Write down of each answer who cannot be asked: the asker, who scores it, who knows the name."""
    users = [person.user for person in people]
    known = who_knows(users, {answer.attempt.invitation.candidate_id for answer in answers})
    for answer in answers:
        has = {user.pk for user in answer.has}
        for person in people:
            user = person.user
            if user.pk in has:
                answer.cannot[user.pk] = "scores it already"
            elif user == viewer:
                answer.cannot[user.pk] = NOT_ONESELF
            elif why := known.get((user.pk, answer.attempt.invitation.candidate_id)):
                answer.cannot[user.pk] = why
            else:
                continue
            person.cannot += 1


def who_knows(users: Iterable[User], candidates: set[int]) -> dict[Pair, str]:
    """(person, candidate) -> how the person came to know who it is; in few queries.

    Of pages that did not note whether they showed the name, it counts that they were opened:
    whoever was not asked to score yet was shown it.
    """
    people = {user.pk for user in users}
    met = meetings((person, candidate) for person in people for candidate in candidates)
    found = {pair: f"{fact.how} on {fact.at:%-d %b %Y}" for pair, fact in met.items()}
    asked = Assignment.objects.filter(
        evaluator=OuterRef("by"), attempt__invitation__candidate=OuterRef("candidate")
    )
    seen = Sighting.objects.filter(
        ~Exists(asked), by__in=people, candidate__in=candidates, named=None
    )
    for person, candidate, at in seen.order_by("-at").values_list("by", "candidate", "at"):
        found.setdefault((person, candidate), f"opened a page about them on {at:%-d %b %Y}")
    return found


def _share(answers: list[Answer], people: list[Person], each: int) -> None:
    """The answer that fewest people can score first; of those the one who has least to do."""
    by_key = {person.user.pk: person for person in people}
    free = {
        answer.attempt.pk: [key for key in by_key if key not in answer.cannot] for answer in answers
    }
    for answer in sorted(answers, key=lambda item: len(free[item.attempt.pk])):
        wanted = max(0, each - len(answer.has))
        ready = sorted(
            (by_key[key] for key in free[answer.attempt.pk]),
            key=lambda person: (person.open_work + person.added, str(person.user).casefold()),
        )
        for person in ready[:wanted]:
            person.added += 1
            answer.proposed.append(person.user.pk)
        answer.missing = max(0, wanted - len(answer.proposed))


def assign_all(
    opening: Opening, ticked: Iterable[tuple[UUID, int]], *, by: User, now: datetime
) -> Asked:
    """Ask for each (attempt, evaluator) that was ticked; those that cannot be are said, not asked.

    Whoever knows the name may be ticked by hand, as on the page of one answer. Sent twice, it
    asks nobody twice.
    """
    wanted: dict[UUID, list[int]] = defaultdict(list)
    for attempt, person in ticked:
        wanted[attempt].append(person)
    people = {person.user.pk: person.user for person in evaluators(now)}
    rows = answers_of(opening, by).filter(pk__in=wanted).prefetch_related("assignments")
    count, refused = 0, []
    for row in rows:
        has = {item.evaluator_id for item in row.assignments.all()}
        for key in wanted[row.pk]:
            if key in has:
                continue
            try:
                _ask(row, people.get(key), by, now)
                count += 1
            except NotPossible as error:
                refused.append(f"Candidate {row.invitation.candidate.pseudonym}: {error}")
    return Asked(count, refused)


def _ask(attempt: Attempt, evaluator: User | None, by: User, now: datetime) -> None:
    if evaluator is None:
        raise NotPossible("This person cannot be asked to score any more.")
    evaluations.assign(attempt=attempt, evaluator=evaluator, by=by, now=now)
    note_action(by, attempt, f"Asked {evaluator} to score.")
