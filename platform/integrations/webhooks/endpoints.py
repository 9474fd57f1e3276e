"""Webhooks: made, changed, tried out, stopped. Each verb checks the address before it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from accounts.models import User
from accounts.not_possible import NotPossible
from integrations.models import Webhook
from integrations.sealed import seal
from integrations.sending import NotAllowed, check
from integrations.webhooks.events import KINDS
from integrations.webhooks.signing import new_secret

MOST = 50
TOO_MANY = f"There are {MOST} webhooks: stop one that is not used any more."


def checked(url: str, events: Sequence[str]) -> None:
    """Raise NotPossible where nothing could be sent there, or of a type of event that there is not."""
    try:
        check(url)
    except NotAllowed as error:
        raise NotPossible(str(error)) from error
    unknown = [name for name in events if name not in KINDS]
    if unknown:
        raise NotPossible(f"There is no event {unknown[0][:40]!r}: {', '.join(KINDS)}.")


def make(
    *, url: str, description: str, events: Sequence[str], by: User, now: datetime
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is shown this once. Raises NotPossible."""
    checked(url, events)
    if Webhook.objects.filter(stopped_at=None).count() >= MOST:
        raise NotPossible(TOO_MANY)
    secret = new_secret()
    row = Webhook.objects.create(
        url=url,
        description=description,
        events=sorted(set(events)),
        secret=seal(secret),
        made_by=by,
        made_at=now,
    )
    return row, secret


def change(webhook: Webhook, *, url: str, description: str, events: Sequence[str]) -> None:
    """What waits for it goes to the new address. Raises NotPossible."""
    checked(url, events)
    webhook.url, webhook.description, webhook.events = url, description, sorted(set(events))
    webhook.save(update_fields=["url", "description", "events"])


def renew_secret(webhook: Webhook) -> str:
    """Another secret, shown this once; from now on everything is signed with it."""
    secret = new_secret()
    webhook.secret = seal(secret)
    webhook.save(update_fields=["secret"])
    return secret


def stop(webhook: Webhook, *, reason: str, now: datetime) -> bool:
    """Nothing more is sent; False where it was stopped before."""
    rows = Webhook.objects.filter(pk=webhook.pk, stopped_at=None)
    if not rows.update(stopped_at=now, stop_reason=reason):
        return False
    webhook.deliveries.filter(delivered_at=None, given_up_at=None).update(given_up_at=now)
    return True
