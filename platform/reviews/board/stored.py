"""What is stored about many people at once: a constant number of queries, rows as plain tuples.

An opening may have thousands of rows, and the board asks again and again. Moments are whole seconds
since 1970, keys of invitations and attempts are texts (reviews.brief).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    Case,
    Exists,
    F,
    Max,
    OuterRef,
    Q,
    Subquery,
    When,
)
from django.db.models.functions import Coalesce

from accounts.models import User
from assessments.models import GradingRun, RevisionRound, Submission
from hiring.models import Accommodation, Exercise, Invitation, Opening, window_state
from hiring.oversight import openings_overseen_by
from hiring.time_allowed import stretch
from reviews.brief import Joined, Seconds, key, numbers
from reviews.models import Assignment, Decision, DiscussionOutcome, Evaluation
from reviews.scoring.agreement import rule_of
from reviews.scoring.apart import Judged, still_apart
from reviews.visibility import (
    attempts_visible_to,
    candidates_hidden_from,
    decisions_hidden_from,
)


class Scope(NamedTuple):
    """Which invitations are asked about: those of an opening, or some by their keys."""

    lookup: str  # "opening" or "in"
    value: Any

    def of(self, path: str = "") -> dict[str, Any]:
        """The filter of rows that lead to an invitation by `path`."""
        return {f"{path}invitation__{self.lookup}": self.value}

    def links(self) -> Q:
        return Q(opening=self.value) if self.lookup == "opening" else Q(pk__in=self.value)


class Link(NamedTuple):
    """An invitation. listed: the viewer may know of it where nothing was begun."""

    key: str
    opening: int
    candidate: int
    name: str
    pseudonym: str
    created_by: int
    opened: bool
    practised: bool
    window: str
    closes: int
    listed: bool


class Begun(NamedTuple):
    """An attempt. deadline, multiplier: of one that is awaited; revised: when its revision was opened."""

    key: str
    link: str
    exercise: int
    round: int
    awaited: bool
    deadline: int
    multiplier: Decimal | None
    revised: int


class HandedIn(NamedTuple):
    """The newest answer of an attempt that waits for nothing from the candidate but a revision's start.

    panel, cards: who is asked and whose scorecard is in, whose keys are card_keys;
    talked: how many outcomes of discussions. at, last_card, last_asked: moments, 0 where there is none.
    """

    answer: int
    at: int
    graded: str
    panel: tuple[int, ...]
    cards: tuple[int, ...]
    last_card: int
    last_asked: int
    card_keys: tuple[int, ...]
    talked: int


@dataclass(frozen=True)
class Stored:
    """All of it, by the keys that lines are made by."""

    links: dict[str, Link]
    exercises_of: dict[str, list[int]]
    exercises: dict[int, Exercise]
    begun: dict[str, list[Begun]]
    answers: dict[str, HandedIn]
    apart: set[int]
    """Answers whose scorecards differ by the rule and were not talked over."""
    decisions: dict[tuple[int, int], Decision]
    hidden: set[int]
    """Candidates whom the viewer scores and may not know by name."""
    mine: set[str]
    """Attempts that the viewer scores."""


def of_opening(viewer: User, opening: int, now: datetime) -> Stored:
    return _stored(viewer, Scope("opening", opening), now)


def of_links(viewer: User, links: Collection[UUID], now: datetime) -> Stored:
    """About invitations by their keys."""
    return _stored(viewer, Scope("in", list(links)), now)


def _stored(viewer: User, scope: Scope, now: datetime) -> Stored:
    me, begun = viewer.pk, _begun(viewer, scope)
    hidden = set(candidates_hidden_from(viewer))
    links = _links(viewer, scope, now, begun, hidden)
    listed = any(link.listed for link in links.values())
    exercises_of = _exercises_of(scope) if listed else {}
    wanted = {row.exercise for rows in begun.values() for row in rows}
    panels = _panels(scope)
    answers = _answers(scope, panels)
    return Stored(
        links=links,
        exercises_of=exercises_of,
        exercises=Exercise.objects.in_bulk(wanted.union(*exercises_of.values())),
        begun=begun,
        answers=answers,
        apart=_apart(links, begun, answers),
        decisions=_decisions(viewer, links),
        hidden=hidden,
        mine={attempt for attempt, panel in panels.items() if me in panel.people},
    )


def _begun(viewer: User, scope: Scope) -> dict[str, list[Begun]]:
    revised = RevisionRound.objects.filter(attempt=OuterRef("pk")).values("opened_at")
    is_awaited = Q(awaiting_round__isnull=False)
    factor = Case(
        When(
            is_awaited & Q(round=2, revision_multiplier__isnull=False), then="revision_multiplier"
        ),
        When(is_awaited, then="multiplier"),
    )
    rows = attempts_visible_to(viewer).filter(**scope.of()).order_by()
    found: dict[str, list[Begun]] = defaultdict(list)
    for row in rows.values_list(
        key("pk"),
        key("invitation"),
        "exercise",
        "round",
        "awaiting_round",
        Case(When(is_awaited, then=Seconds("deadline_at")), default=0),
        factor,
        Coalesce(Seconds(Subquery(revised)), 0),
    ):
        one = Begun(row[0], row[1], row[2], row[3], row[4] is not None, row[5], row[6], row[7])
        found[one.link].append(one)
    return found


def _answers(scope: Scope, panels: dict[str, Group]) -> dict[str, HandedIn]:
    cards = _cards(scope)
    talked = DiscussionOutcome.objects.filter(**scope.of("submission__attempt__"))
    outcomes = Counter(talked.order_by().values_list("submission", flat=True))
    newest = GradingRun.objects.filter(submission=OuterRef("pk")).order_by("-pk")
    rows = Submission.objects.filter(
        superseded_at=None,
        attempt__awaiting_round=None,
        round=F("attempt__round"),
        **scope.of("attempt__"),
    )
    found = {}
    for attempt, answer, at, graded in rows.order_by().values_list(
        key("attempt"), "pk", Seconds("submitted_at"), Subquery(newest.values("result")[:1])
    ):
        panel, given = panels.get(attempt, NOBODY), cards.get(answer, NOBODY)
        found[attempt] = HandedIn(
            answer,
            at,
            graded or "",
            panel.people,
            given.people,
            given.last,
            panel.last,
            given.keys,
            outcomes[answer],
        )
    return found


class Group(NamedTuple):
    """Rows about people: who, by which keys, and when the last of them came."""

    people: tuple[int, ...] = ()
    keys: tuple[int, ...] = ()
    last: int = 0


NOBODY = Group()


def _panels(scope: Scope) -> dict[str, Group]:
    """Who is asked to score each attempt."""
    rows = Assignment.objects.filter(**scope.of("attempt__")).order_by()
    grouped = rows.values("attempt").annotate(
        of=key("attempt"), people=Joined("evaluator"), last=Seconds(Max("assigned_at"))
    )
    read = cache(numbers)  # few panels score thousands of answers
    return {
        attempt: Group(read(people), (), last)
        for attempt, people, last in grouped.values_list("of", "people", "last")
    }


def _cards(scope: Scope) -> dict[int, Group]:
    """Whose scorecard of each answer is in; of one that is being corrected it is owed again.

    As EvaluationQuerySet.current says it, which asks the database once for each of thousands.
    """
    rows = Evaluation.objects.filter(
        submission__superseded_at=None, **scope.of("submission__attempt__")
    ).order_by()
    corrected = rows.exclude(supersedes=None).values_list("supersedes", flat=True)
    replaced = set(filter(None, corrected))
    # not a subquery: PostgreSQL would run it anew for every row once it has no room to hash it
    counted = rows.exclude(submitted_at=None).exclude(pk__in=replaced)
    grouped = counted.values("submission").annotate(
        people=Joined("evaluator"), cards=Joined("pk"), last=Seconds(Max("submitted_at"))
    )
    read = cache(numbers)
    return {
        answer: Group(read(people), numbers(cards), last)
        for answer, people, cards, last in grouped.values_list(
            "submission", "people", "cards", "last"
        )
    }


def _links(
    viewer: User,
    scope: Scope,
    now: datetime,
    begun: Collection[str],
    hidden: set[int],
) -> dict[str, Link]:
    """Invitations with what was begun, and those of candidates whom the viewer may know by name."""
    knows = viewer.has_perm("hiring.view_candidate")
    overseen = set(openings_overseen_by(viewer).values_list("pk", flat=True)) if knows else set()
    factors, found = _factors(scope), {}
    rows = Invitation.objects.filter(scope.links()).order_by()
    for row in rows.values_list(*LINK_FACTS):
        opening, candidate = row[1], row[2]
        listed = opening in overseen and candidate not in hidden
        if listed or row[0] in begun:
            found[row[0]] = _link(row, factors.get(candidate), listed, now)
    return found


LINK_FACTS = (
    key("pk"),
    "opening",
    "candidate",
    "candidate__name",
    "candidate__pseudonym",
    "created_by",
    Seconds("first_opened_at"),
    Seconds("practised_at"),
    Seconds("revoked_at"),
    Seconds("opens_at"),
    Seconds("closes_at"),
)


def _link(row: tuple[Any, ...], factor: Decimal | None, listed: bool, now: datetime) -> Link:
    """One of LINK_FACTS, its window widened by the person's factor of time."""
    name, opening, candidate, person, pseudonym, by, opened, practised, revoked, opens, closes = row
    if factor:
        closes = opens + int(stretch(timedelta(seconds=closes - opens), factor).total_seconds())
    window = window_state(revoked is not None, opens, closes, now.timestamp())
    seen = (opened is not None, practised is not None)
    return Link(name, opening, candidate, person, pseudonym, by, *seen, window, closes, listed)


def _factors(scope: Scope) -> dict[int, Decimal]:
    """The factor of time that holds now, of those who were given one."""
    about = Invitation.objects.filter(scope.links(), candidate=OuterRef("candidate"))
    rows = Accommodation.objects.filter(Exists(about)).order_by("granted_at", "pk")
    return dict(rows.values_list("candidate", "multiplier"))


def _exercises_of(scope: Scope) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    rows = Invitation.exercises.through.objects.filter(**scope.of())
    for link, exercise in rows.values_list(key("invitation"), "exercise"):
        found[link].append(exercise)
    return found


def _apart(
    links: dict[str, Link], begun: dict[str, list[Begun]], answers: dict[str, HandedIn]
) -> set[int]:
    openings = {link.opening for link in links.values()}
    rules = {row.pk: rule_of(row) for row in Opening.objects.filter(pk__in=openings)}
    return still_apart(
        [
            Judged(answer.answer, answer.card_keys, answer.talked, rules[links[link].opening])
            for link, rows in begun.items()
            for row in rows
            if (answer := answers.get(row.key)) and len(answer.card_keys) > 1
        ]
    )


def _decisions(viewer: User, links: dict[str, Link]) -> dict[tuple[int, int], Decision]:
    """The newest decision about each candidate for each opening, without those that the viewer may not read."""
    if not viewer.has_perm("reviews.view_decision"):
        return {}
    openings = {row.opening for row in links.values()}
    rows = Decision.objects.filter(opening__in=openings).order_by("decided_at").defer("reasons")
    found = {(row.opening_id, row.candidate_id): row for row in rows}
    if found:
        for pair in decisions_hidden_from(viewer):
            found.pop(pair, None)
    return found
