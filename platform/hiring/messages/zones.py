"""Moments in words, in the zone of whoever reads and of whoever sends."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext

from accounts.models import User
from hiring.message_rows import known_zone
from hiring.models import Candidate, MailPreference

LONGEST_ZONE = 64


def zone_of(user: User | None) -> str:
    """The zone that a member of staff chose, else the organisation's."""
    try:
        chosen = user.mail_preference.time_zone if user else ""
    except MailPreference.DoesNotExist:
        chosen = ""
    return chosen or settings.ORGANISATION_TIME_ZONE


def zones_for(candidate: Candidate, sender: User | None) -> list[str]:
    """The candidate's zone first where it is known, then the sender's, then UTC."""
    zones = (candidate.time_zone, zone_of(sender), "UTC")
    return list(dict.fromkeys(zone for zone in zones if zone))


def learn_zone(candidate: Candidate, name: str) -> None:
    """Keep the zone that a browser names, where none is known; what is no zone is passed over."""
    if candidate.time_zone or not name or len(name) > LONGEST_ZONE:
        return
    try:
        known_zone(name)
    except ValidationError:
        return
    Candidate.objects.filter(pk=candidate.pk, time_zone="").update(time_zone=name)


def in_zones(at: datetime, zones: list[str]) -> str:
    """ "Monday 2 March 2026, 10:00 (Europe/Berlin), 09:00 (UTC)"; the day again where it differs."""
    return _in_zones(at, tuple(zones), get_language())


@lru_cache(maxsize=256)
def _in_zones(at: datetime, zones: tuple[str, ...], language: str) -> str:
    """Kept, because one press tells two hundred people of one window."""
    said, day = [], None
    for name in zones:
        local = at.astimezone(ZoneInfo(name))
        whole = pgettext("day and time", "l j F Y, H:i")
        form = "H:i" if local.date() == day else whole
        said.append(f"{date_format(local, form)} ({name})")
        day = local.date()
    return ", ".join(said)
