"""Notice when a part of the platform was away, and give the lost time back to who was working."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import Error, connection, transaction
from django.utils import timezone

from assessments.gpu.cards import REASON as GPU_REASON
from assessments.gpu.cards import is_served, needs_gpu
from assessments.jobs import Result
from assessments.ledger import credit, credit_all, locked
from assessments.models import Attempt, Outage, Pulse, Run
from assessments.presences import EVERY_S, report
from assessments.processes import FORKS
from assessments.pulses import AWAY, FELT, PULSE_S, WEB, is_away, is_slow
from assessments.submissions import is_ending
from hiring.models import GRACE

logger = logging.getLogger(__name__)
LONGEST_GRACE = 4 * GRACE
# Of a site that is slow for long people are told once a minute, not after every answer.
GATHERED = timedelta(minutes=1)


def answered(*, now: datetime) -> None:
    """The site has answered a knock: its pulse, one write as long as it answers quickly."""
    quick = Pulse.objects.filter(component=WEB, slow_since=None, at__gte=now - FELT, at__lte=now)
    with transaction.atomic():  # in turn with the requests, on SQLite
        if not quick.update(at=now):
            pulse(WEB, now=now)


@transaction.atomic
def pulse(component: str, *, now: datetime, at_once: bool = False) -> Outage | None:
    """Say that the part is alive; the first pulse after a silence records it and credits it.

    All in one transaction: nobody sees the fresh pulse before the lost time is given back. What people
    feel of a slow site is gathered until it is quick again, or for GATHERED, unless `at_once`.
    """
    Pulse.objects.get_or_create(component=component, defaults={"at": now})
    last = Pulse.objects.select_for_update().get(component=component)
    gap = now - last.at
    is_silent = gap > (FELT if component == WEB else AWAY)
    began = last.slow_since or (last.at if is_silent else None)
    ended = now if is_silent else last.at
    is_gathered = began is not None and is_silent and _is_gathered(gap, now - began) and not at_once
    was_away = gap > AWAY and last.slow_since is None
    last.at, last.slow_since = max(last.at, now), began if is_gathered else None
    last.save(update_fields=["at", "slow_since"])
    if began is None or is_gathered:
        return None
    outage = Outage.objects.create(component=component, began_at=began, ended_at=ended)
    if component == WEB:
        how = "not reachable" if was_away else "slow or not reachable"
        outage.credited = _credit_outage(outage, how, now)
        outage.save(update_fields=["credited"])
    logger.warning("%s; %d attempts credited.", outage, outage.credited)
    return outage


def _is_gathered(gap: timedelta, lasted: timedelta) -> bool:
    """True in the middle of a slow stretch; what was away for long is credited when it is back."""
    return gap <= AWAY and lasted < GATHERED


def wake(attempt: Attempt, *, now: datetime) -> None:
    """For requests: after a silence, credit before anything is said about the attempt's clock.

    Near the end of a round also what was only slow so far.
    """
    if is_away(WEB, now) or (is_ending(attempt, now) and is_slow(now)):
        pulse(WEB, now=now, at_once=True)
        attempt.refresh_from_db(fields=["deadline_at", "round", "awaiting_round"])


def _credit_outage(outage: Outage, how: str, now: datetime) -> int:
    """Extend every attempt whose clock ran meanwhile; how many those were."""
    seconds = (outage.ended_at - outage.began_at).total_seconds()
    reason = f"The platform was {how} for {seconds:.0f} seconds."
    running = Attempt.objects.unsubmitted().filter(
        deadline_at__gt=outage.began_at - LONGEST_GRACE, started_at__lt=outage.ended_at
    )
    rows = running.select_for_update(of=("self",)).select_related("exercise").order_by("pk")
    ran = [
        row for row in rows if row.deadline_at + row.rules.grace_time(row.round) > outage.began_at
    ]
    return credit_all(ran, began=outage.began_at, ended=outage.ended_at, reason=reason, now=now)


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


def keep_pulse(
    component: str, serves: Callable[[], bool] = lambda: True, places: int = 0
) -> Callable[[], None]:
    """Pulse now and from a thread for as long as this process lives, whatever the database does.

    While `serves` says no the part is silent, as if it were not there. `places`: how much it holds at
    once. What is returned ends it.
    """
    stop, saying = threading.Event(), Saying(component, places)

    def beat() -> None:
        while not stop.wait(PULSE_S):
            with FORKS:
                saying.to_this_host()
                if serves():
                    saying.now()
                connection.close()

    saying.to_this_host()
    if serves():
        saying.now()
    thread = threading.Thread(target=beat, name=f"pulse-{component}", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end


class Saying:
    """Says that a part is alive: its pulse each time, and now and then on which host it is."""

    def __init__(self, component: str, places: int = 0) -> None:
        self._component, self._places = component, places
        self._reported = float("-inf")

    def now(self) -> None:
        """A database that does not answer is logged, and asked again the next time."""
        try:
            pulse(self._component, now=timezone.now())
            if self.is_due():
                self.host()
        except Error as error:
            logger.warning("No pulse of %s: %s", self._component, error)

    def to_this_host(self) -> None:
        """Leave a mark in the data folder that whoever watches the process can look at, database or not."""
        try:
            (settings.DATA / "alive" / self._component).touch(mode=0o600)
        except OSError as error:
            logger.warning("No mark of %s: %s", self._component, error)

    def is_due(self) -> bool:
        """Whether the host was not reported lately."""
        return time.monotonic() - self._reported >= EVERY_S

    def host(self) -> None:
        """Report the host; tried again after as long where it fails. Raises what a database raises."""
        self._reported = time.monotonic()
        report(self._component, now=timezone.now(), places=self._places)
