"""Who did an exercise not long ago: once more it says less, so whoever invites them again says why."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.conf import settings

from hiring.keeping import months_later
from hiring.models import Exercise, Invitation, Opening
from hiring.trials import real
from library.packs import pack_of
from scenarios.packs import PackNotFound


class Repeat(NamedTuple):
    """An exercise that somebody began before: its pack, for which opening, and when."""

    pack_name: str
    opening: str
    at: datetime

    @property
    def said(self) -> str:
        return f"did “{_title(self.pack_name)}” on {self.at:%-d %B %Y} for {self.opening}"


def months_for(opening: Opening) -> int:
    """For how many months an exercise counts as done not long ago; 0: nobody asks."""
    own = opening.repeat_months
    return settings.REPEAT_MONTHS if own is None else own


def repeats(
    opening: Opening, exercises: Iterable[Exercise], candidates: Collection[int], now: datetime
) -> dict[int, list[Repeat]]:
    """What those people, by their keys, did of those exercises within the opening's months.

    An exercise is the same where its scenario pack is; another seniority does not make it another.
    """
    months = months_for(opening)
    if not months or not candidates:
        return {}
    rows = (
        real(Invitation.objects.all())
        .filter(
            candidate__in=candidates,
            attempts__exercise__pack_name__in={row.pack_name for row in exercises},
            attempts__started_at__gt=months_later(now, -months),
        )
        .order_by("attempts__started_at")
    )
    found: dict[int, list[Repeat]] = {}
    facts = ("candidate", "attempts__exercise__pack_name", "opening__title", "attempts__started_at")
    for pk, pack_name, title, at in rows.values_list(*facts):
        found.setdefault(pk, []).append(Repeat(pack_name, title, at))
    return found


def in_a_sentence(name: str, done: Iterable[Repeat]) -> str:
    """For the form of one invitation."""
    listed = "; ".join(row.said for row in done)
    return f"{name} {listed}. Say why they should do it again, or choose another exercise or candidate."


def _title(pack_name: str) -> str:
    try:
        return pack_of(pack_name).title
    except PackNotFound:
        return pack_name
