"""The result: decided by one person, told to the candidate by another, never by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.confirmed import DoneBefore, Refused
from accounts.models import User
from hiring.messages.occasions import occasions
from hiring.messages.outbox import Told, tell_candidate
from hiring.messages.wording import Words, check
from hiring.models import Invitation, Opening
from hiring.oversight import openings_overseen_by
from reviews.models import Decision
from reviews.visibility import candidates_hidden_from, decisions_hidden_from

TELLS = "hiring.add_message"
"""Who may: whoever decides, and whoever accompanies the candidates."""
ASKED_FOR = timedelta(days=30)
"""So long somebody is asked to tell a result; what is older was told in other ways, or is left alone."""
ONWARD, DECLINED = "result_onward", "result_declined"
TOLD_BEFORE = "The candidate was told of this decision before."
NO_ADDRESS = "There is no address to write to: tell them in another way, and note it."


def standing_decisions(viewer: User) -> QuerySet[Decision]:
    """The newest decision about each candidate, if it ends the matter and the viewer may tell it."""
    if not viewer.has_perm(TELLS):
        return Decision.objects.none()
    newer = Decision.objects.filter(
        opening=OuterRef("opening"),
        candidate=OuterRef("candidate"),
        decided_at__gt=OuterRef("decided_at"),
    )
    rows = Decision.objects.filter(
        ~Exists(newer), outcome__in=Decision.FINAL, opening__in=openings_overseen_by(viewer)
    )
    kept = {candidate for _, candidate in decisions_hidden_from(viewer)}
    kept |= set(candidates_hidden_from(viewer))
    return rows.exclude(candidate__in=kept) if kept else rows


def to_tell(viewer: User, now: datetime) -> QuerySet[Decision]:
    """Those that nobody told yet, for as long as it is asked for."""
    return standing_decisions(viewer).filter(told_at=None, decided_at__gt=now - ASKED_FOR)


def occasion_of(decision: Decision | None) -> str:
    declined = decision is not None and decision.outcome == Decision.Outcome.DECLINE
    return DECLINED if declined else ONWARD


def invitation_of(decision: Decision) -> Invitation | None:
    """The newest link of the candidate to the opening; lists prefetch them."""
    links = [
        row for row in decision.candidate.invitations.all() if row.opening_id == decision.opening_id
    ]
    return max(links, key=lambda row: row.created_at, default=None)


@transaction.atomic
def tell(
    decision: Decision, *, by_mail: bool, by: User, now: datetime, words: Words | None = None
) -> str:
    """Tell it once, or note that they know; words: instead of the opening's. What was done, in a sentence."""
    if by_mail and not decision.candidate.email:
        raise Refused(NO_ADDRESS)
    if not Decision.objects.filter(pk=decision.pk, told_at=None).update(told_at=now):
        raise DoneBefore(TOLD_BEFORE)
    if not by_mail:
        return f"Noted that the candidate knows: {decision.get_outcome_display()}."
    told = Told(
        occasion=occasion_of(decision),
        about=f"decision {decision.pk}",
        opening=decision.opening,
        candidate=decision.candidate,
        invitation=invitation_of(decision),
    )
    tell_candidate(told, now=now, by=by, words=words)
    return f"Told the candidate: {decision.get_outcome_display()}."


def checked(data: dict[str, Any], occasion: str) -> Words:
    """The words of a form; Refused in a sentence where they hold what no message may."""
    words = Words(data["subject"], data["text"])
    try:
        check(words.text, occasions()[occasion])
    except ValidationError as error:
        raise Refused(error.messages[0]) from error
    return words


def openings_to_tell(viewer: User, now: datetime) -> list[tuple[Opening, int]]:
    """Each opening in which somebody waits for their result, with how many do."""
    found: dict[int, int] = {}
    for opening in to_tell(viewer, now).values_list("opening", flat=True):
        found[opening] = found.get(opening, 0) + 1
    rows = Opening.objects.filter(pk__in=found).order_by("title", "pk")
    return [(row, found[row.pk]) for row in rows]
