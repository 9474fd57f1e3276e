"""What somebody may read of an answer's shared passages, and of whom.

Whoever scores an answer reads it once their own scorecard of that round is in, and so for the other answer
if they score that: a finding would colour what they see in either. The other person stays a pseudonym unless
the viewer may know the name; of an answer that they may not open they read the shared lines and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from accounts.models import User
from assessments.models import Attempt, Submission
from graders.similarity import VERSION
from graders.similarity.tokens import CODE
from reviews.evidence.answer_text import section_titles, title_of, visible
from reviews.models import Comparison, Likeness
from reviews.similarity import texts
from reviews.similarity.marking import shared_words
from reviews.visibility import (
    attempts_visible_to,
    has_card_in,
    is_evaluator,
    may_see_clock,
    shown_name,
    with_viewer,
)

LATER = (
    "After your own scorecard is in: what two answers share would colour what you see in this one."
)


@dataclass
class Side:
    """One of the two places: its title, its lines as (number, pieces), a piece as (text, is shared)."""

    title: str
    lines: list[tuple[int, list[tuple[str, bool]]]]


@dataclass
class Pair:
    """One passage on both sides; `size` in words of prose, or words and marks of code."""

    is_code: bool
    size: int
    mine: Side
    theirs: Side


@dataclass
class Found:
    """One other answer with something in common; shares are percent of each one's own work."""

    name: str
    round: int
    other_round: int
    opening: str
    other: Attempt | None
    same_variant: bool
    first: str
    shares: list[tuple[str, int, int]]
    pairs: list[Pair]


@dataclass
class Findings:
    """What is shown; `held`: findings that wait for the viewer's scorecard, `waiting`: answers not compared."""

    found: list[Found]
    held: int = 0
    waiting: int = 0
    owes: bool = False


def of(viewer: User, attempt: Attempt) -> Findings:
    """The findings about an attempt that is known to be visible to the viewer."""
    if not viewer.has_perm("reviews.view_likeness"):
        return Findings([])
    rows = _rows(attempt)
    shown = [row for row in rows if _may_read(viewer, row)]
    submissions = list(Submission.objects.filter(attempt=attempt, superseded_at=None))
    done = Comparison.objects.filter(submission__in=submissions, version=VERSION)
    done = done.exclude(finished_at=None)
    return Findings(
        [_found(viewer, row) for row in _one_for_each(shown)],
        held=len({row.other.attempt_id for row in rows} - {r.other.attempt_id for r in shown}),
        waiting=len(submissions) - done.count(),
        owes=any(not _reads(viewer, row) for row in submissions),
    )


def count(viewer: User, attempt: Attempt) -> int:
    """How many other answers the viewer would read of."""
    if not viewer.has_perm("reviews.view_likeness"):
        return 0
    return len(_one_for_each([row for row in _rows(attempt) if _may_read(viewer, row)]))


@dataclass
class _Row:
    """A likeness seen from one of its two answers."""

    own: Submission
    other: Submission
    likeness: Likeness
    turned: bool

    def places(self) -> Iterable[tuple[str, int, Any, Any]]:
        for one in self.likeness.passages:
            both = one["mine"], one["theirs"]
            mine, theirs = both[::-1] if self.turned else both
            yield one["kind"], one["size"], mine, theirs


def _rows(attempt: Attempt) -> list[_Row]:
    """Both ways: an answer is compared with earlier ones only, and shows what later ones share with it."""
    rows = Likeness.objects.filter(
        Q(comparison__submission__attempt=attempt) | Q(other__attempt=attempt),
        comparison__version=VERSION,
        comparison__submission__superseded_at=None,
        other__superseded_at=None,
    ).select_related("comparison__submission__attempt", "other__attempt")
    found = []
    for row in rows:
        turned = row.other.attempt_id == attempt.pk
        both = row.comparison.submission, row.other
        own, other = both[::-1] if turned else both
        found.append(_Row(own, other, row, turned))
    return sorted(found, key=lambda row: (-row.likeness.size, row.own.round, row.likeness.pk))


def _one_for_each(rows: list[_Row]) -> list[_Row]:
    """Of two rounds of one other person the one with most in common."""
    kept: dict[Any, _Row] = {}
    for row in rows:
        kept.setdefault(row.other.attempt_id, row)
    return list(kept.values())


def _may_read(viewer: User, row: _Row) -> bool:
    return _reads(viewer, row.own) and _reads(viewer, row.other)


def _reads(viewer: User, submission: Submission) -> bool:
    """Whether no scorecard of this answer is owed by the viewer."""
    attempt, round = submission.attempt, submission.round
    return not is_evaluator(viewer, attempt) or has_card_in(viewer, attempt, round)


def _found(viewer: User, row: _Row) -> Found:
    mine, theirs = _attempt(viewer, row.own), _attempt(viewer, row.other)
    opens = attempts_visible_to(viewer).filter(pk=theirs.pk).exists()
    here = mine.invitation.opening_id == theirs.invitation.opening_id
    opening = "this opening" if here else f"the opening {theirs.invitation.opening}"
    clock = opens and may_see_clock(viewer, mine) and may_see_clock(viewer, theirs)
    return Found(
        name=shown_name(theirs) if opens else f"Candidate {theirs.invitation.candidate.pseudonym}",
        round=row.own.round,
        other_round=row.other.round,
        opening=opening if here or opens else "another opening",
        other=theirs if opens else None,
        same_variant=_variant(mine) == _variant(theirs),
        first=_first(row) if clock else "",
        shares=_shares(row),
        pairs=[
            _pair(kind, size, (row.own, mine, ours), (row.other, theirs, there))
            for kind, size, ours, there in row.places()
        ],
    )


def _attempt(viewer: User, submission: Submission) -> Attempt:
    rows = Attempt.objects.filter(pk=submission.attempt_id).select_related(
        "invitation__candidate", "invitation__opening", "exercise", "pack_version"
    )
    return with_viewer(rows, viewer).get()


def _variant(attempt: Attempt) -> tuple[Any, ...]:
    return attempt.level, attempt.seed, attempt.company


def _first(row: _Row) -> str:
    own_first = row.own.submitted_at < row.other.submitted_at
    return "This answer was handed in first." if own_first else "The other was handed in first."


def _shares(row: _Row) -> list[tuple[str, int, int]]:
    """(what, percent of this answer's own, percent of the other's) where anything is shared."""
    one = row.likeness
    mine, theirs = (
        (one.code_share, one.prose_share),
        (one.other_code_share, one.other_prose_share),
    )
    if row.turned:
        mine, theirs = theirs, mine
    rows = zip(("code", "text"), mine, theirs, strict=True)
    return [(what, round(100 * a), round(100 * b)) for what, a, b in rows if a or b]


_Where = tuple[Submission, Attempt, Any]


def _pair(kind: str, size: int, mine: _Where, theirs: _Where) -> Pair:
    """Of code whole lines are shared; of prose the words that stand in both."""
    left, right = ([(n, visible(line)) for n, line in _lines(one)] for one in (mine, theirs))
    is_code = kind == CODE
    if is_code:
        pieces = [[[(line, True)] for _, line in rows] for rows in (left, right)]
    else:
        pieces = list(shared_words([line for _, line in left], [line for _, line in right]))
    sides = [
        Side(
            title_of(where[2][0], section_titles(where[1])),
            [(number, piece) for (number, _), piece in zip(rows, marked, strict=True)],
        )
        for where, rows, marked in zip((mine, theirs), (left, right), pieces, strict=True)
    ]
    return Pair(is_code, size, *sides)


def _lines(where: _Where) -> list[tuple[int, str]]:
    submission, _, (key, first, last) = where
    return texts.lines(submission, (key, first, last))
