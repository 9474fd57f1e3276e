"""One message a day instead of many, for staff who want it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction

from accounts.models import User
from hiring.messages.outbox import Told, site_page, tell_staff
from hiring.messages.zones import zone_of
from hiring.models import MailPreference, Message

HOUR = 7  # in the morning, where they are


def write_all(*, now: datetime) -> list[Message]:
    """The digests that are due: of those for whom it is past seven, once a day in their zone."""
    waiting = Message.objects.undigested().values("recipient").distinct()
    people = User.objects.filter(pk__in=waiting, is_active=True)
    made = [write(person, now=now) for person in people if _is_due(person, now)]
    return [message for message in made if message]


def _is_due(person: User, now: datetime) -> bool:
    row = MailPreference.objects.filter(user=person).first()
    if row is None or not row.digest:
        return True  # they want single messages again: what was kept goes out now
    zone = ZoneInfo(zone_of(person))
    local = now.astimezone(zone)
    last = row.digested_at.astimezone(zone).date() if row.digested_at else None
    return local.hour >= HOUR and last != local.date()


@transaction.atomic
def write(person: User, *, now: datetime) -> Message | None:
    """Everything that was kept for the person, in one message; None where nothing was."""
    preference, _ = MailPreference.objects.get_or_create(user=person)
    MailPreference.objects.select_for_update().get(pk=preference.pk)  # two schedules at once
    rows = list(Message.objects.undigested().filter(recipient=person).order_by("queued_at", "pk"))
    if not rows:
        return None
    thing = f"{len(rows)} thing{'' if len(rows) == 1 else 's'}"
    told = Told(
        occasion="digest",
        about=now.isoformat(timespec="seconds"),
        values={"count": thing, "lines": "\n\n".join(map(_line, rows))},
        page=site_page("admin:index"),
    )
    message = tell_staff(told, person, now=now)
    if message:
        Message.objects.filter(pk__in=[row.pk for row in rows]).update(carried_by=message)
        MailPreference.objects.filter(pk=preference.pk).update(digested_at=now)
    return message


def _line(row: Message) -> str:
    """Its subject, and the first address in it, which is its page."""
    page = next((word for word in row.text.split() if word.startswith("http")), "")
    return f"{row.subject}\n  {page}".rstrip()
