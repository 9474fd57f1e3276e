"""Give a score for an interview that no question set led."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.not_possible import NotPossible
from hiring.models import Candidate, Opening
from library.models import HIGHEST, LOWEST
from reviews.interviews.interviews import owes_first_card
from reviews.models import InterviewScore, InterviewSession


def give(
    *,
    id: UUID,
    opening: Opening,
    candidate: Candidate,
    about: str,
    score: int,
    reasons: str,
    by: User,
    now: datetime,
) -> tuple[InterviewScore, bool]:
    """Append a score; a later one of the same person about the same thing counts instead.

    `id` is chosen by the page that asks, so that sending its form twice gives one score.
    (the score, it was given just now)
    """
    _check(opening, candidate, about=about, score=score, reasons=reasons, by=by)
    if known := InterviewScore.objects.filter(pk=id).first():
        if (known.opening, known.candidate, known.given_by) != (opening, candidate, by):
            raise NotPossible("This form belongs to another score: open the page again.")
        return known, False
    own = InterviewScore.objects.filter(
        opening=opening, candidate=candidate, about=about, given_by=by
    )
    try:
        with transaction.atomic():
            made = InterviewScore.objects.create(
                id=id,
                opening=opening,
                candidate=candidate,
                about=about,
                score=score,
                reasons=reasons.strip(),
                given_by=by,
                given_at=now,
                number=own.count() + 1,
            )
    except IntegrityError as error:  # two presses at one moment
        raise NotPossible("This was sent a moment ago: open the report to see it.") from error
    return made, True


def _check(
    opening: Opening, candidate: Candidate, *, about: str, score: int, reasons: str, by: User
) -> None:
    if about not in InterviewScore.About.values:
        raise NotPossible("Choose what the interview was about.")
    if not LOWEST <= score <= HIGHEST:
        raise NotPossible(f"A score is a number from {LOWEST} to {HIGHEST}.")
    if not reasons.strip():
        raise NotPossible("Write the reasons: a score without them cannot be defended.")
    if owes_first_card(by, InterviewSession(opening=opening, candidate=candidate)):
        raise NotPossible(
            "You are to score this person's first answer without knowing them: submit that "
            "scorecard first, then enter what the interview came to."
        )
