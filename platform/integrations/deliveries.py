"""Send what waits for other systems: claimed under a lease, tried again after growing pauses, all on record.

Whoever receives may get the same thing twice, where an answer was lost on its way: the id says so. What was
not taken in three days is given up; a person may deliver it again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Q

from accounts.models import User
from accounts.not_possible import NotPossible
from integrations.models import Delivery, DeliveryTry
from integrations.sealed import Unreadable
from integrations.sending import WHOLE_S, Answer, NoAnswer, NotAllowed, Outgoing, send

logger = logging.getLogger(__name__)
LEASE = timedelta(seconds=3 * WHOLE_S)
PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=6)
PATIENCE = timedelta(days=3)
KEPT = timedelta(days=30)
AT_ONCE = 50
GONE = 410
STILL_WAITS = "It is still on its way: wait for what becomes of it."
STOPPED = "The system it went to is not told anything any more."
Request = Callable[[Delivery, datetime], Outgoing]


def send_due(request: Request, worker: str, clock: Callable[[], datetime]) -> int:
    """Send what is due, oldest first; how many tries. A system that fails is left for its next turn.

    request: the HTTP request of a delivery, made for a try at that moment.
    """
    now = clock()
    rows = Delivery.objects.startable(now).order_by("due_at", "pk")
    failed: set[tuple[str, int]] = set()
    tries = 0
    for row in list(rows.select_related("webhook", "order")[:AT_ONCE]):
        system = _system(row)
        if system in failed:
            continue
        if Delivery.objects.claim(row.pk, worker, clock(), clock() + LEASE):
            tries += 1
            if not _try(row, request, clock):
                failed.add(system)
    return tries


def _system(row: Delivery) -> tuple[str, int]:
    if row.order:
        return ("connection", row.order.connection_id)
    return ("webhook", row.webhook_id or 0)


def _try(row: Delivery, request: Request, clock: Callable[[], datetime]) -> bool:
    """One try; whether it arrived."""
    row = Delivery.objects.select_related(
        "webhook", "event", "order__connection", "order__candidate"
    ).get(pk=row.pk)
    began = clock()
    try:
        answer = send(request(row, began))
    except (NotAllowed, Unreadable) as error:
        answer = Answer(0, str(error), 0)
    except NoAnswer as error:
        answer = Answer(0, str(error), round((clock() - began).total_seconds() * 1000))
    DeliveryTry.objects.create(
        delivery=row,
        at=began,
        took_ms=answer.took_ms,
        status=answer.status or None,
        said=" ".join(answer.text.replace("\x00", " ").split())[:500],
    )
    return _written(row, answer, clock())


def _written(row: Delivery, answer: Answer, now: datetime) -> bool:
    mine = Delivery.objects.filter(pk=row.pk, worker=row.worker, tries=row.tries)
    if 200 <= answer.status < 300:
        mine.update(delivered_at=now, worker="", lease_until=None)
        if row.order:
            type(row.order).objects.filter(pk=row.order.pk).update(told=row.standing)
        return True
    if answer.status == GONE or now - row.queued_at > PATIENCE:
        mine.update(given_up_at=now, worker="", lease_until=None)
        logger.warning("Gave up %s: the answer was %s.", row.pk, answer.status or "none")
        return False
    pause = min(PAUSE * 2 ** min(row.tries - 1, 12), LONGEST_PAUSE)
    mine.update(due_at=now + pause, worker="", lease_until=None)
    return False


def again(row: Delivery, *, by: User, now: datetime) -> Delivery:
    """The same thing once more, as a new delivery, because a person asked. Raises NotPossible."""
    if row.state(now) not in ("delivered", "given_up"):
        raise NotPossible(STILL_WAITS)
    if (row.webhook and row.webhook.stopped_at) or (row.order and row.order.connection.ended_at):
        raise NotPossible(STOPPED)
    return Delivery.objects.create(
        webhook=row.webhook,
        event=row.event,
        order=row.order,
        standing=row.standing,
        queued_at=now,
        due_at=now,
        replayed_by=by,
    )


def forget_old(now: datetime) -> int:
    """Let the log of what arrived or was given up long ago go; how many."""
    ended = Q(delivered_at__lt=now - KEPT) | Q(given_up_at__lt=now - KEPT)
    return Delivery.objects.filter(ended).delete()[0]
