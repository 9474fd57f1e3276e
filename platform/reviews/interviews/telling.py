"""Who is told of a talk's time by mail, with a calendar file: the candidate and whoever holds it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import translation

from accounts.models import User
from assessments.models import Sitting
from hiring.languages import of_messages
from hiring.messages.calendar_file import Event, calendar_file
from hiring.messages.outbox import Told, site_page, tell_candidate, tell_staff
from hiring.messages.zones import in_zones, zone_of, zones_for
from hiring.time_allowed import in_words
from reviews.models import InterviewSession


def tell_planned(
    sitting: Sitting, sessions: Iterable[InterviewSession], *, by: User, now: datetime
) -> None:
    _tell(sitting, sessions, "interview_planned", "interview_asked", by=by, now=now)


def tell_called_off(
    sitting: Sitting, sessions: Iterable[InterviewSession], *, by: User, now: datetime
) -> None:
    _tell(sitting, sessions, "interview_called_off", "interview_off", by=by, now=now)


def _tell(
    sitting: Sitting,
    sessions: Iterable[InterviewSession],
    to_them: str,
    to_us: str,
    *,
    by: User,
    now: datetime,
) -> None:
    """Nothing tells colleagues the name: whoever scores may be asked to hold the talk afterwards."""
    if sitting.begins_at is None:
        return
    link = sitting.invitation
    about = f"talk {sitting.pk} time {sitting.moves}"

    def told(occasion: str, zones: list[str], page: str = "", **values: str) -> Told:
        at = in_zones(sitting.begins_at, zones) if sitting.begins_at else ""
        return Told(
            occasion=occasion,
            about=about,
            values={
                "interview_at": at,
                "minutes": in_words(timedelta(minutes=sitting.minutes)),
                **values,
            },
            opening=link.opening,
            candidate=link.candidate,
            invitation=link if occasion == to_them else None,
            page=page,
            calendar=_calendar(sitting, occasion == to_them, now),
            useless_after=sitting.begins_at,
        )

    zones = list(dict.fromkeys([*zones_for(link.candidate, by), sitting.time_zone]))
    with translation.override(of_messages(link)):
        tell_candidate(told(to_them, zones), now=now, by=by)
    for row in sessions:
        zones = list(dict.fromkeys([zone_of(row.interviewer), sitting.time_zone]))
        page = site_page("admin:interview-talk", row.pk)
        who = f"Candidate {link.candidate.pseudonym}"
        tell_staff(told(to_us, zones, page, candidate=who), row.interviewer, now=now, by=by)


def _calendar(sitting: Sitting, is_theirs: bool, now: datetime) -> str:
    link, begins_at = sitting.invitation, sitting.begins_at or now
    opening = link.opening.title
    event = Event(
        key=f"interview-{sitting.pk}",
        title=translation.gettext("Interview for {opening}, {organisation}").format(
            opening=opening, organisation=settings.ORGANISATION
        )
        if is_theirs
        else f"Interview: Candidate {link.candidate.pseudonym}, {opening}",
        text=translation.gettext(
            "The link to the interview's page is in the message that this came with."
        )
        if is_theirs
        else "The plan is on the page in the message that this came with.",
        begins_at=begins_at,
        ends_at=begins_at + timedelta(minutes=sitting.minutes),
        is_off=sitting.called_off_at is not None,
    )
    return calendar_file(event, now=now, site=urlsplit(settings.SITE_URL).hostname or "localhost")
