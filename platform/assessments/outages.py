"""Notice when a part of the platform was away, and give the lost time back to who was working."""

from __future__ import annotations

import logging
import threading
from datetime import datetime, timedelta

from django.db import DatabaseError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from assessments.attempts import credit
from assessments.models import Attempt, Outage, Pulse, Run

logger = logging.getLogger(__name__)
WEB, WORKER = "web", "worker"
PULSE_S = 5.0
AWAY = timedelta(seconds=15)


def is_away(component: str, now: datetime) -> bool:
    """True where the part was alive once and has been silent for too long."""
    return Pulse.objects.filter(component=component, at__lt=now - AWAY).exists()


def pulse(component: str, *, now: datetime) -> Outage | None:
    """Say that the part is alive; the first pulse after a silence records it and credits it."""
    with transaction.atomic():
        last = Pulse.objects.select_for_update().filter(component=component).first()
        Pulse.objects.update_or_create(component=component, defaults={"at": now})
        if last is None or now - last.at <= AWAY:
            return None
        outage = Outage.objects.create(component=component, began_at=last.at, ended_at=now)
    outage.credited = credit_outage(outage, now=now)
    outage.save(update_fields=["credited"])
    return outage


def credit_outage(outage: Outage, *, now: datetime) -> int:
    """Extend every attempt that lost time in the outage; how many those were."""
    seconds = (outage.ended_at - outage.began_at).total_seconds()
    reason = f"The platform was not reachable for {seconds:.0f} seconds."
    credited = 0
    for attempt, since in _affected(outage):
        began, ended = max(outage.began_at, since), outage.ended_at
        credited += credit(attempt.pk, began=began, ended=ended, reason=reason, now=now)
    logger.warning("%s was away for %.0f s: %d credits.", outage.component, seconds, credited)
    return credited


def _affected(outage: Outage) -> list[tuple[Attempt, datetime]]:
    """Whose clock ran while the site was down, or whose run waited for a worker; each with since when."""
    clocks = Attempt.objects.unsubmitted().filter(
        deadline_at__gt=outage.began_at, started_at__lt=outage.ended_at
    )
    if outage.component != WORKER:
        return [(attempt, attempt.started_at) for attempt in clocks]
    waiting = Run.objects.filter(attempt__in=clocks, created_at__lt=outage.ended_at).filter(
        Q(finished_at=None) | Q(finished_at__gt=outage.began_at)
    )
    return [(run.attempt, run.created_at) for run in waiting.select_related("attempt")]


def keep_pulse(component: str) -> None:
    """Pulse from a thread for as long as this process lives."""

    def beat() -> None:
        pause = threading.Event()
        while not pause.wait(PULSE_S):
            try:
                pulse(component, now=timezone.now())
            except DatabaseError as error:
                logger.warning("No pulse of %s: %s", component, error)
            finally:
                connection.close()

    pulse(component, now=timezone.now())
    threading.Thread(target=beat, name=f"pulse-{component}", daemon=True).start()
