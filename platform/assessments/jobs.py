"""A database row as a job: claimed under a lease with a heartbeat, tried a bounded number of times.

The broker only says that there may be work. Whoever claims the row runs it; a row whose lease has
run out belongs to nobody and is claimed again. After MAX_TRIES that failed it ends as an
infrastructure error. A worker that is killed costs no try: only MAX_LOSSES of them end a row, which
may be what kills them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import Error, connection, models
from django.db.models import Case, F, Q, When
from django.utils import timezone

LEASE = timedelta(seconds=30)
HEARTBEAT_S = 8.0
STOP_LOOK_S = 0.25
MAX_TRIES = 3
MAX_LOSSES = 10
# After a failure of ours the next try waits a little, then longer: an engine may be restarting.
PAUSE = timedelta(seconds=10)
# Who claims a row that still names a worker finds that its last one never gave it back.
LEFT = Q(worker="")
SPENT = Q(LEFT, tries__gte=MAX_TRIES) | Q(losses__gte=MAX_LOSSES)


class Result(models.TextChoices):
    DONE = "done", "Done"
    CANDIDATE_ERROR = "candidate_error", "Program did not run"
    INFRASTRUCTURE_ERROR = "infrastructure_error", "Our failure"
    STOPPED = "stopped", "Stopped"


class JobQuerySet(models.QuerySet["Any"]):
    def unfinished(self) -> Self:
        return self.filter(finished_at=None)

    def claimable(self, now: datetime) -> Self:
        return self.unfinished().filter(Q(lease_until=None) | Q(lease_until__lte=now))

    def startable(self, now: datetime) -> Self:
        return self.claimable(now).exclude(SPENT)

    def running(self, now: datetime) -> Self:
        return self.unfinished().exclude(worker="").filter(lease_until__gt=now)

    def waiting(self, now: datetime) -> Self:
        """Unfinished, and in nobody's hands."""
        return self.unfinished().exclude(~Q(worker="") & Q(lease_until__gt=now))

    def claim(self, pk: Any, worker: str, now: datetime) -> bool:
        """Take the row for this worker; False where somebody else has it or it has ended."""
        claimed = (
            self.startable(now)
            .filter(pk=pk)
            .update(
                worker=worker,
                lease_until=now + LEASE,
                claimed_at=now,
                tries=F("tries") + Case(When(LEFT, then=1), default=0),
                losses=F("losses") + Case(When(LEFT, then=0), default=1),
            )
        )
        return claimed == 1

    def hopeless(self, now: datetime) -> Self:
        """Tried or lost too often, or waited for longer than anybody would."""
        late = now - self.model.PATIENCE
        return self.claimable(now).filter(SPENT | Q(created_at__lt=late))

    def give_up(self, now: datetime) -> list[Any]:
        """End hopeless rows as our failure; their keys."""
        ended = []
        for pk in self.hopeless(now).values_list("pk", flat=True):
            failure = {"result": Result.INFRASTRUCTURE_ERROR, "detail": self.model.GAVE_UP}
            if self.hopeless(now).filter(pk=pk).update(finished_at=now, **failure):
                ended.append(pk)
        return ended


class Job(models.Model):
    """Fields of a row that a worker claims. A finished row is never changed again."""

    created_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    losses = models.PositiveSmallIntegerField(
        default=0, help_text="Workers that were lost while they had it."
    )
    worker = models.CharField(max_length=100, blank=True)
    claimed_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    result = models.CharField(max_length=24, choices=Result, blank=True)
    detail = models.TextField(blank=True)
    trouble = models.TextField(blank=True, help_text="What failed on our side last; for staff.")
    report = models.JSONField(null=True, blank=True)

    PATIENCE = timedelta(days=3650)
    GAVE_UP = ""

    objects = JobQuerySet.as_manager()

    class Meta:
        abstract = True

    def state(self, now: datetime) -> str:
        """queued, running, done, stopped, candidate_error or infrastructure_error."""
        if self.finished_at is not None:
            return self.result
        held = self.worker and self.lease_until and self.lease_until > now
        return "running" if held else "queued"

    def _mine(self) -> models.QuerySet[Any]:
        rows = type(self)._default_manager.filter(pk=self.pk, finished_at=None)
        return rows.filter(worker=self.worker, tries=self.tries, losses=self.losses)

    def extend_lease(self, now: datetime) -> bool:
        return self._mine().update(lease_until=now + LEASE) == 1

    def finish(
        self, *, result: str, detail: str, report: dict[str, Any] | None, now: datetime
    ) -> bool:
        """Record the end; False where the lease was lost and another worker has the row."""
        return (
            self._mine().update(finished_at=now, result=result, detail=detail, report=report) == 1
        )

    def end_lease(self, now: datetime) -> None:
        """Free the row of a worker that is gone; whoever claims it next counts the loss."""
        self._mine().update(lease_until=now)

    def release(self, now: datetime, *, trouble: str, counts: bool = True) -> timedelta:
        """Give the row back after a failure of ours, for a pause that grows; how long that is.

        With counts=False the try is not held against the row: nothing was tried yet.
        """
        pause: timedelta = PAUSE * 2 ** (self.tries - 1)
        tries = self.tries if counts else self.tries - 1
        self._mine().update(worker="", lease_until=now + pause, trouble=trouble, tries=tries)
        return pause

    def is_to_stop(self) -> bool:
        """Whether somebody has asked for the end of the work that goes on."""
        return False

    @contextmanager
    def heartbeat(self, cancel: threading.Event | None = None) -> Iterator[None]:
        """Keep the lease while the work goes on, from a thread of its own.

        `cancel` is set within STOP_LOOK_S once the row asks for the end of the work.
        """
        over = threading.Event()

        def look() -> None:
            if cancel and not cancel.is_set() and self.is_to_stop():
                cancel.set()

        def beat() -> None:
            pause = min(HEARTBEAT_S, STOP_LOOK_S) if cancel else HEARTBEAT_S
            due = time.monotonic() + HEARTBEAT_S
            while not over.wait(pause):
                with suppress(Error):  # a database that is locked now may answer the next beat
                    look()
                    if time.monotonic() >= due:
                        due = time.monotonic() + HEARTBEAT_S
                        self.extend_lease(timezone.now())
            connection.close()

        thread = threading.Thread(target=beat, name="lease-heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
