"""What candidates are told: invited, reminded, received, revision, result. Each function queues one message."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils.translation import get_language, gettext

from accounts.models import User
from hiring.languages import in_theirs
from hiring.messages.calendar_file import Event, calendar_file
from hiring.messages.outbox import Told, tell_candidate
from hiring.messages.wording import Words
from hiring.messages.zones import in_zones, zones_for
from hiring.models import Exercise, Invitation, Message, Mode
from hiring.time_allowed import in_words, stretch
from scenarios.kinds import kind_of

BEFORE_THE_END = timedelta(hours=24)
NOT_SO_SOON = timedelta(hours=12)
"""Nobody is reminded of what they were told less than this ago."""


def invite_by_mail(
    invitation: Invitation,
    *,
    by: User,
    now: datetime,
    words: Words | None = None,
    times_sent: int | None = None,
) -> Message | None:
    """Queue the invitation with a link of its own; sent before, it goes out once more.

    words: instead of the opening's. times_sent: before, where whoever asks knows it.
    """
    before = Message.objects.filter(invitation=invitation, occasion="invitation")
    count = before.count() if times_sent is None else times_sent
    about = f"invitation {invitation.pk}" + (f" again {count}" if count else "")
    told = invitation_told(invitation, about, by, now)
    return tell_candidate(told, now=now, by=by, words=words)


@in_theirs
def invitation_told(
    invitation: Invitation,
    about: str,
    by: User | None,
    now: datetime,
    exercises: Sequence[Exercise] | None = None,
) -> Told:
    """exercises: of an invitation that is not saved yet, for a preview of its message."""
    zones = zones_for(invitation.candidate, by)
    asked = invitation.exercises.all() if exercises is None else exercises
    values = {
        "exercises": exercise_lines(invitation, asked, zones),
        "opens_at": in_zones(invitation.opens_at, zones),
        "closes_at": in_zones(invitation.window_closes_at(), zones),
    }
    return _told("invitation", about, invitation, values, calendar=calendar_of(invitation, now))


def left_to_start(invitation: Invitation) -> list[Exercise]:
    """The exercises that were not begun; lists prefetch both sides."""
    begun = {row.exercise_id for row in invitation.attempts.all()}
    return [row for row in invitation.exercises.all() if row.pk not in begun]


@in_theirs
def remind(invitation: Invitation, *, by: User | None, now: datetime, about: str = "") -> bool:
    """Queue a reminder of what is left to start; False where nothing is, or they were told before."""
    left = left_to_start(invitation)
    if not left or invitation.state(now) != "open":
        return False
    sender = by or invitation.created_by
    zones = zones_for(invitation.candidate, sender)
    values = {
        "exercises": exercise_lines(invitation, left, zones),
        "closes_at": in_zones(invitation.window_closes_at(), zones),
    }
    key = about or f"window {invitation.pk} {invitation.closes_at:%Y%m%d%H%M}"
    told = _told("reminder", key, invitation, values, calendar=calendar_of(invitation, now))
    return tell_candidate(told, now=now, by=by) is not None


def remind_all(*, now: datetime) -> int:
    """Remind everybody whose window closes within a day; how many messages were queued."""
    return sum(remind(row, by=None, now=now) for row in to_remind(now))


def to_remind(now: datetime) -> list[Invitation]:
    """Invited by mail, not just now, and not reminded of this window yet."""
    told = Message.objects.filter(occasion="reminder", queued_at__gt=now - BEFORE_THE_END)
    rows: QuerySet[Invitation] = Invitation.objects.usable().filter(
        # an accommodation widens the window, by four times at most
        Q(closes_at__gt=now, closes_at__lte=now + BEFORE_THE_END)
        | Q(candidate__accommodations__isnull=False),
        opens_at__lte=now,
        sent_at__lte=now - NOT_SO_SOON,
    )
    rows = rows.exclude(messages__in=told).distinct().select_related("candidate", "opening")
    return [row for row in rows if now < row.window_closes_at() <= now + BEFORE_THE_END]


@in_theirs
def tell_received(
    invitation: Invitation, exercise: Exercise, *, answer: int, round: int, at: datetime
) -> None:
    """That an answer came in; answer: its number, so that a reopened one is told of as well."""
    occasion = "receipt" if round == 1 else "revision_received"
    zones = zones_for(invitation.candidate, invitation.created_by)
    values = {"exercise": _kind(exercise), "received_at": in_zones(at, zones)}
    tell_candidate(_told(occasion, f"answer {answer}", invitation, values, over=False), now=at)


@in_theirs
def tell_revision_opened(
    invitation: Invitation, exercise: Exercise, *, revision: int, now: datetime
) -> None:
    time = in_words(stretch(exercise.revision_limit, invitation.candidate.multiplier()))
    values = {"exercise": _kind(exercise), "revision_time": time}
    told = _told("revision_opened", f"revision {revision}", invitation, values, over=False)
    tell_candidate(told, now=now)


@in_theirs
def tell_answered(
    invitation: Invitation, exercise: Exercise, *, answer: int, now: datetime
) -> None:
    """That a question of theirs was answered on their page; answer: its number."""
    values = {"exercise": _kind(exercise)}
    tell_candidate(_told("answered", f"answer {answer}", invitation, values, over=False), now=now)


def _told(
    occasion: str,
    about: str,
    invitation: Invitation,
    values: dict[str, str],
    *,
    calendar: str = "",
    over: bool = True,
) -> Told:
    """over: there is no use in it once the window has closed."""
    return Told(
        occasion=occasion,
        about=about,
        values=values,
        opening=invitation.opening,
        candidate=invitation.candidate,
        invitation=invitation,
        calendar=calendar,
        useless_after=invitation.window_closes_at() if over else None,
    )


@in_theirs
def exercise_lines(invitation: Invitation, exercises: Any, zones: list[str]) -> str:
    """Each exercise with its time, and from when it can be read ahead, if it can."""
    multiplier = invitation.candidate.multiplier()
    ahead = {row.exercise_id: row.opens_at for row in invitation.advance_releases.all()}
    surprise = gettext("A surprise: you see its brief and materials when you press Start.")
    lines = []
    for exercise in exercises:
        time = stretch(exercise.limit, multiplier)
        lines.append(f"  - {_time_line(exercise.kind, time, get_language())}")
        line = surprise
        if exercise.pk in ahead:
            line = gettext("You can read its brief and materials before you start, from {at}.")
            line = line.format(at=in_zones(ahead[exercise.pk], zones))
        lines.append(f"    {line}")
    return "\n".join(lines)


@lru_cache(maxsize=256)
def _time_line(kind: str, time: timedelta, language: str) -> str:
    """Kept, because one press tells two hundred people of the same exercises."""
    line = gettext("{exercise}: {time} from the moment you press Start")
    return line.format(exercise=gettext(kind_of(kind).title), time=in_words(time))


def _kind(exercise: Exercise) -> str:
    """The exercise's kind as the candidate reads it."""
    return gettext(exercise.get_kind_display())


@in_theirs
def calendar_of(invitation: Invitation, now: datetime) -> str:
    """The sitting where somebody sits with the candidate, else the window, which keeps nobody busy."""
    sittings = [row for row in invitation.exercises.all() if row.mode != Mode.TAKE_HOME]
    length = timedelta(minutes=sum(row.limit_minutes + row.revision_minutes for row in sittings))
    ends_at = invitation.window_closes_at()
    if sittings:
        ends_at = invitation.opens_at + stretch(length, invitation.candidate.multiplier())
    title = gettext("Work sample for {opening}, {organisation}").format(
        opening=invitation.opening.title, organisation=settings.ORGANISATION
    )
    text = (
        gettext("Your sitting. The link is in the message that this came with.")
        if sittings
        else gettext(
            "You can start whenever you like in this time; the clock runs from Start. The link is in the "
            "message that this came with."
        )
    )
    event = Event(
        key=f"invitation-{invitation.pk}",
        title=title,
        text=text,
        begins_at=invitation.opens_at,
        ends_at=ends_at,
        is_free=not sittings,
        warn_before_end=None if sittings else BEFORE_THE_END,
    )
    return calendar_file(event, now=now, site=urlsplit(settings.SITE_URL).hostname or "localhost")
