"""Notice when a part of the platform was away, and give the lost time back to who was working."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime

from django.db import Error, connection, transaction
from django.utils import timezone

from assessments.gpu import REASON as GPU_REASON
from assessments.gpu import is_served, needs_gpu
from assessments.jobs import Result
from assessments.ledger import credit, locked
from assessments.models import Attempt, Outage, Pulse, Run
from assessments.processes import FORKS
from assessments.pulses import AWAY, PULSE_S, WEB, is_away
from hiring.models import GRACE

logger = logging.getLogger(__name__)
LONGEST_GRACE = 4 * GRACE


@transaction.atomic
def pulse(component: str, *, now: datetime) -> Outage | None:
    """Say that the part is alive; the first pulse after a silence records it and credits it.

    All in one transaction: nobody sees the fresh pulse before the lost time is given back.
    """
    last = Pulse.objects.select_for_update().filter(component=component).first()
    Pulse.objects.update_or_create(component=component, defaults={"at": now})
    if last is None or now - last.at <= AWAY:
        return None
    outage = Outage.objects.create(component=component, began_at=last.at, ended_at=now)
    if component == WEB:
        outage.credited = _credit_outage(outage, now)
        outage.save(update_fields=["credited"])
    logger.warning("%s; %d attempts credited.", outage, outage.credited)
    return outage


def wake(*, now: datetime) -> None:
    """For requests: after a silence, credit before anything is said about the clock."""
    if is_away(WEB, now):
        pulse(WEB, now=now)


def _credit_outage(outage: Outage, now: datetime) -> int:
    """Extend every attempt whose clock ran while the site was silent; how many those were."""
    seconds = (outage.ended_at - outage.began_at).total_seconds()
    reason = f"The platform was not reachable for {seconds:.0f} seconds."
    running = Attempt.objects.unsubmitted().filter(
        deadline_at__gt=outage.began_at - LONGEST_GRACE, started_at__lt=outage.ended_at
    )
    credited = 0
    for pk in running.order_by("pk").values_list("pk", flat=True):
        with locked(pk) as attempt:
            began = max(outage.began_at, attempt.started_at)
            if attempt.deadline_at + attempt.rules.grace_time() > outage.began_at:
                credited += credit(
                    attempt, began=began, ended=outage.ended_at, reason=reason, now=now
                )
    return credited


def credit_run(run: Run, *, now: datetime) -> bool:
    """Give back what a run had to wait for a worker, or all of it where we failed to run it."""
    if run.finished_at is None:
        return False
    failed = run.result == Result.INFRASTRUCTURE_ERROR
    ended = run.finished_at if failed else run.claimed_at or run.finished_at
    for_gpu = needs_gpu(run.attempt) and is_served(now)
    if not failed and not for_gpu and ended - run.created_at <= AWAY:
        return False
    waited = GPU_REASON if for_gpu else "A run waited for the platform."
    reason = "A run could not be carried out." if failed else waited
    with locked(run.attempt_id) as attempt:
        if attempt.round != run.round:
            return False
        return credit(attempt, began=run.created_at, ended=ended, reason=reason, now=now)


def keep_pulse(component: str, serves: Callable[[], bool] = lambda: True) -> Callable[[], None]:
    """Pulse now and from a thread for as long as this process lives, whatever the database does.

    While `serves` says no the part is silent, as if it were not there. What is returned ends it.
    """
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(PULSE_S):
            with FORKS:
                if serves():
                    _try_pulse(component)
                connection.close()

    if serves():
        _try_pulse(component)
    thread = threading.Thread(target=beat, name=f"pulse-{component}", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end


def _try_pulse(component: str) -> None:
    try:
        pulse(component, now=timezone.now())
    except Error as error:
        logger.warning("No pulse of %s: %s", component, error)
