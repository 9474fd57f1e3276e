"""Say which host a part runs on, with what version and how far its clock is from the database's."""

from __future__ import annotations

import socket
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from assessments.models import Presence

EVERY_S = 20.0
GONE = timedelta(seconds=90)
"""A part that has said nothing for so long is not there any more."""
FORGOTTEN = timedelta(days=1)
UNINSTALLED = "0.2.0"
"""The version of a checkout, in which no package is installed; a test holds it to pyproject.toml."""


def own_version() -> str:
    """Headnode's version as it is installed, or that of the checkout."""
    try:
        return version("headnode")
    except PackageNotFoundError:
        return UNINSTALLED


def database_now() -> datetime:
    """The database's clock; this host's where the database is a file."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def report(component: str, *, now: datetime, places: int = 0) -> Presence:
    """Write that this host's part is there; `now` is the host's clock, read a moment ago."""
    at = database_now()
    row, _ = Presence.objects.update_or_create(
        host=socket.gethostname()[:100],
        component=component,
        defaults={
            "at": at,
            "ahead_ms": round((now - at).total_seconds() * 1000),
            "version": own_version(),
            "places": places,
        },
    )
    Presence.objects.filter(at__lt=at - FORGOTTEN).delete()
    return row


def present(now: datetime) -> QuerySet[Presence]:
    """Parts that have reported lately."""
    return Presence.objects.filter(at__gte=now - GONE)
