"""Where the site keeps things: database, broker, disk, and the clocks that date what is kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from assessments.presences import database_now, present
from headnode.doctor.findings import Finding, failed, warning, well
from headnode.health import unapplied

FULL, FILLING = 2 << 30, 10 << 30
"""Bytes: below the first something will break within hours, below the second somebody should know."""
OFF_S, ASKEW_S = 2.0, 0.5
"""Seconds between two clocks: with the first deadlines differ, the second is more than NTP leaves."""
NTP = "Let every host follow the same time servers (systemd-timesyncd or chrony)."


def database() -> Iterator[Finding]:
    """It answers, can be written, and has this version's tables."""
    where = f"{connection.vendor} ({connection.settings_dict['NAME']})"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        missing = unapplied()
    except DatabaseError as error:
        why = str(error).strip().partition("\n")[0]
        cure = "Start the server, or put its address into DATABASE_URL."
        yield failed("database", f"{where} does not answer: {why}", cure)
        return
    if missing:
        said = f"{where} lacks {len(missing)} migrations, the first is {missing[0]}."
        yield failed("database", said, "Run: headnode setup")
        return
    yield well("database", f"{where} answers and has every table.")
    if connection.vendor == "sqlite" and settings.HTTPS:
        said = "SQLite serves one machine and one web process."
        cure = (
            "For more than some fifty candidates at once use PostgreSQL: DATABASE_URL=postgres://…"
        )
        yield warning("database", said, cure)


def broker() -> Iterator[Finding]:
    """A connection can be made; what it holds is only a hint, so nothing is read."""
    named = settings.CELERY_BROKER_URL.partition("://")[0]
    try:
        with current_app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=3)
    except (OperationalError, OSError) as error:
        cure = "Start it, or put its address into BROKER_URL. Until then the schedule finds what waits."
        yield failed("broker", f"{named} does not answer: {error}", cure)
        return
    folder = named == "headnode-files"
    yield well("broker", "A folder of this machine." if folder else f"{named} answers.")


def disk() -> Iterator[Finding]:
    """The data folder can be written and has room."""
    probe = settings.DATA / ".doctor"
    try:
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        said = f"{settings.DATA} cannot be written: {error.strerror}."
        yield failed("disk", said, "Make it this user's own, or name another in HEADNODE_DATA.")
        return
    free = shutil.disk_usage(settings.DATA).free
    said = f"{free / (1 << 30):.1f} GiB are free under {settings.DATA}."
    cure = (
        "Make room. The folder variants grows with exercises; what is removed there is built again."
    )
    if free < FULL:
        yield failed("disk", said, cure)
    elif free < FILLING:
        yield warning("disk", said, cure)
    else:
        yield well("disk", said)


def clocks() -> Iterator[Finding]:
    """This host's clock against the database's, and what each other host last said of its own."""
    offsets = {"this host": (timezone.now() - database_now()).total_seconds()}
    for row in present(database_now()):
        offsets[row.host] = row.ahead_ms / 1000
    yield judged(offsets)


def judged(offsets: dict[str, float]) -> Finding:
    """`offsets`: seconds that each host's clock is before the database's."""
    worst = max(offsets, key=lambda host: abs(offsets[host]))
    widest = max(offsets.values()) - min(offsets.values())
    spread = max(widest, abs(offsets[worst]))
    said = f"{worst} is {offsets[worst]:+.2f} s from the database's clock; hosts differ by {widest:.2f} s."
    if spread > OFF_S:
        return failed("clocks", said, NTP)
    if spread > ASKEW_S:
        return warning("clocks", said, NTP)
    return well("clocks", f"{len(offsets)} clocks agree within {spread:.2f} s.")


def age(at: datetime, now: datetime) -> str:
    """How long ago that was, in words."""
    seconds = (now - at).total_seconds()
    return f"{seconds:.0f} s ago" if seconds < 120 else f"{seconds / 60:.0f} minutes ago"
