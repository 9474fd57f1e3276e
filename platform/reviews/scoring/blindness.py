"""Who was no longer blind when they rated: they had met the candidate, or seen who it is.

It follows from what was held, opened and looked at, and when; what no page can know, as who sat
beside the candidate on site, evaluators declare themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, RevisionRound
from hiring.models import Invitation, Mode, Sighting
from reviews.models import (
    Acquaintance,
    Assignment,
    Defence,
    Evaluation,
    InterviewScore,
    InterviewSession,
    SpokenNotes,
)

# Of sightings without a word on the name: pages that show it to everybody who may open them.
NAMED_PAGES = ("candidate",)


class Meeting(NamedTuple):
    """When somebody stopped being blind, and by what: "interviewed the candidate"."""

    at: datetime
    how: str


Pair = tuple[int, int]  # person, candidate


def declare(*, attempt: Attempt, person: User, how: str, now: datetime) -> Acquaintance:
    """Record that somebody who scores has met or knows the candidate, as on site before the work."""
    if not how.strip():
        raise NotPossible("Say in a few words how you met or know this person.")
    candidate = attempt.invitation.candidate
    row, _ = Acquaintance.objects.get_or_create(
        candidate=candidate, person=person, how=how.strip()[:300], defaults={"declared_at": now}
    )
    return row


def meetings(pairs: Iterable[Pair]) -> dict[Pair, Meeting]:
    """The first meeting of each person with each candidate, in a constant number of queries."""
    wanted = set(pairs)
    people, candidates = {one for one, _ in wanted}, {other for _, other in wanted}
    found: dict[Pair, Meeting] = {}
    for person, candidate, at, how in _facts(people, candidates):
        pair = (person, candidate)
        if pair in wanted and (pair not in found or at < found[pair].at):
            found[pair] = Meeting(at, how)
    return found


def _facts(people: set[int], candidates: set[int]) -> Iterable[tuple[int, int, datetime, str]]:
    talks = InterviewSession.objects.filter(
        interviewer__in=people, candidate__in=candidates, started_at__isnull=False
    )
    for person, candidate, at in talks.values_list("interviewer", "candidate", "started_at"):
        if at is not None:
            yield person, candidate, at, "interviewed the candidate"
    of = "attempt__invitation__candidate"
    held = Defence.objects.filter(by__in=people, level__isnull=False, **{f"{of}__in": candidates})
    for row in held.values_list("by", of, "recorded_at"):
        yield (*row, "had the candidate explain the answer")
    opened = RevisionRound.objects.filter(opened_by__in=people, **{f"{of}__in": candidates})
    opened = opened.exclude(attempt__exercise__mode=Mode.TAKE_HOME)
    for row in opened.values_list("opened_by", of, "opened_at"):
        yield (*row, "gave the feedback in person")
    spoken = SpokenNotes.objects.filter(
        typed_by__in=people, **{f"submission__{of}__in": candidates}
    )
    for row in spoken.values_list("typed_by", f"submission__{of}", "typed_at"):
        yield (*row, "heard the spoken revision")
    given = InterviewScore.objects.filter(given_by__in=people, candidate__in=candidates)
    for row in given.values_list("given_by", "candidate", "given_at"):
        yield (*row, "scored an interview with the candidate")
    known = Acquaintance.objects.filter(person__in=people, candidate__in=candidates)
    for person, candidate, at, said in known.values_list(
        "person", "candidate", "declared_at", "how"
    ):
        yield person, candidate, at, f"declared having met or knowing the candidate ({said})"
    invited = Invitation.objects.filter(created_by__in=people, candidate__in=candidates)
    for row in invited.values_list("created_by", "candidate", "created_at"):
        yield (*row, "invited the candidate")
    yield from _seen(people, candidates)
    yield from _told_by_elimination(people, candidates)


def _seen(people: set[int], candidates: set[int]) -> Iterable[tuple[int, int, datetime, str]]:
    """Looks at a page, a list included, that showed the name.

    Where it was not noted whether it did: before being asked to score, all pages showed it to them.
    """
    asked: dict[Pair, datetime] = {}
    of = "attempt__invitation__candidate"
    rows = Assignment.objects.filter(evaluator__in=people, **{f"{of}__in": candidates})
    for person, candidate, at in rows.values_list("evaluator", of, "assigned_at"):
        asked[person, candidate] = min(at, asked.get((person, candidate), at))
    seen = Sighting.objects.filter(by__in=people, candidate__in=candidates).order_by()
    for person, candidate, at, page, named in seen.values_list(
        "by", "candidate", "at", "page", "named"
    ):
        before = (person, candidate) in asked and at < asked[person, candidate]
        if named or (named is None and (page in NAMED_PAGES or before)):
            yield person, candidate, at, "saw who the candidate is"


def _told_by_elimination(
    people: set[int], candidates: set[int]
) -> Iterable[tuple[int, int, datetime, str]]:
    """Who saw the names of all others of an opening, and so which is left.

    The database counts first, so that names are compared only where one at most was not seen.
    """
    links = Invitation.objects.filter(revoked_at=None).order_by()
    openings = set(links.filter(candidate__in=candidates).values_list("opening", flat=True))
    of = "candidate__invitations__opening"
    counted = links.filter(opening__in=openings).values("opening")
    many = dict(counted.annotate(n=Count("candidate", distinct=True)).values_list("opening", "n"))
    seen = Sighting.objects.filter(by__in=people, named=True).order_by()
    known = seen.filter(**{f"{of}__in": openings}, candidate__invitations__revoked_at=None)
    found = known.values("by", of).annotate(n=Count("candidate", distinct=True))
    for person, opening, count in found.values_list("by", of, "n"):
        if many.get(opening, 0) < 2 or count < many[opening] - 1:
            continue
        members = set(links.filter(opening=opening).values_list("candidate", flat=True))
        first = seen.filter(by=person, candidate__in=members).values("candidate")
        since = dict(first.annotate(since=Min("at")).values_list("candidate", "since"))
        for candidate in candidates & members:
            others = members - {candidate}
            if others <= since.keys():
                at = max(since[other] for other in others)
                yield person, candidate, at, "saw the names of all others of the opening"


def marked(cards: Iterable[Evaluation]) -> list[Evaluation]:
    """The cards, each with `not_blind`: a sentence where it was rated after its author had met the
    candidate or learnt who it is, else "".

    The cards need `submission__attempt__invitation`. An open scorecard counts as rated now.
    """
    rows = list(cards)
    found = meetings(map(_pair, rows))
    for card in rows:
        met = found.get(_pair(card))
        late = met and (card.submitted_at is None or met.at < card.submitted_at)
        card.not_blind = _said(met, card) if met and late else ""  # type: ignore[attr-defined]
    return rows


def _said(met: Meeting, card: Evaluation) -> str:
    then = "before this was submitted" if card.submitted_at else "and scores now"
    return f"{card.evaluator} {met.how} on {met.at:%-d %b %Y}, {then}."


def _pair(card: Evaluation) -> Pair:
    return card.evaluator_id, card.submission.attempt.invitation.candidate_id
