"""A database row as a job: claimed under a lease with a heartbeat, tried a bounded number of times.

The broker only says that there may be work. Whoever claims the row runs it; a row whose lease has
run out belongs to nobody and is claimed again; after MAX_TRIES it ends as an infrastructure error.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import Error, connection, models
from django.db.models import F, Q
from django.utils import timezone

LEASE = timedelta(seconds=30)
HEARTBEAT_S = 8.0
MAX_TRIES = 3
# After a failure of ours the next try waits a little, then longer: an engine may be restarting.
PAUSE = timedelta(seconds=10)


class Result(models.TextChoices):
    DONE = "done", "Done"
    CANDIDATE_ERROR = "candidate_error", "Program did not run"
    INFRASTRUCTURE_ERROR = "infrastructure_error", "Our failure"


class JobQuerySet(models.QuerySet["Any"]):
    def unfinished(self) -> Self:
        return self.filter(finished_at=None)

    def claimable(self, now: datetime) -> Self:
        return self.unfinished().filter(Q(lease_until=None) | Q(lease_until__lte=now))

    def running(self, now: datetime) -> Self:
        return self.unfinished().exclude(worker="").filter(lease_until__gt=now)

    def waiting(self, now: datetime) -> Self:
        """Unfinished, and in nobody's hands."""
        return self.unfinished().exclude(~Q(worker="") & Q(lease_until__gt=now))

    def claim(self, pk: Any, worker: str, now: datetime) -> bool:
        """Take the row for this worker; False where somebody else has it or it has ended."""
        claimed = (
            self.claimable(now)
            .filter(pk=pk, tries__lt=MAX_TRIES)
            .update(worker=worker, lease_until=now + LEASE, claimed_at=now, tries=F("tries") + 1)
        )
        return claimed == 1

    def hopeless(self, now: datetime) -> Self:
        """Tried too often, or waited for longer than anybody would."""
        late = now - self.model.PATIENCE
        return self.claimable(now).filter(Q(tries__gte=MAX_TRIES) | Q(created_at__lt=late))

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
        """queued, running, done, candidate_error or infrastructure_error."""
        if self.finished_at is not None:
            return self.result
        held = self.worker and self.lease_until and self.lease_until > now
        return "running" if held else "queued"

    def _mine(self) -> models.QuerySet[Any]:
        rows = type(self)._default_manager.filter(pk=self.pk, finished_at=None)
        return rows.filter(worker=self.worker, tries=self.tries)

    def extend_lease(self, now: datetime) -> bool:
        return self._mine().update(lease_until=now + LEASE) == 1

    def finish(
        self, *, result: str, detail: str, report: dict[str, Any] | None, now: datetime
    ) -> bool:
        """Record the end; False where the lease was lost and another worker has the row."""
        return (
            self._mine().update(finished_at=now, result=result, detail=detail, report=report) == 1
        )

    def release(self, now: datetime, *, trouble: str = "", counts: bool = True) -> None:
        """Give the row back: at once where its worker died, after a pause where something failed.

        With counts=False the try is not held against the row: nothing was tried yet.
        """
        pause = PAUSE * 2 ** (self.tries - 1) if trouble else timedelta(0)
        tries = self.tries if counts else self.tries - 1
        self._mine().update(worker="", lease_until=now + pause, trouble=trouble, tries=tries)

    @contextmanager
    def heartbeat(self) -> Iterator[None]:
        """Keep the lease while the work goes on, from a thread of its own."""
        stop = threading.Event()

        def beat() -> None:
            while not stop.wait(HEARTBEAT_S):
                with suppress(Error):  # a database that is locked now may answer the next beat
                    self.extend_lease(timezone.now())
            connection.close()

        thread = threading.Thread(target=beat, name="lease-heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
