"""What a request finds missing on this host: built in the background, and the time given back.

Variants lie on each host's disk, so a worker elsewhere, or a disk that was tidied, leaves a web server
without one. No request builds or waits: one thread of the process does, and whoever asks is told so.
"""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NoReturn
from uuid import UUID

from django.db import DatabaseError, connection
from django.utils import timezone

from assessments.ledger import credit, locked
from assessments.materials import variants
from assessments.materials.variants import NotBuilt
from assessments.models import Attempt

logger = logging.getLogger(__name__)
AGAIN_S = 2
"""After how many seconds it is worth to ask again."""
MOST_WAITING = 50
REASON = "The materials had to be prepared again."
Asked = tuple[str, str, int, str, str]
"""The arguments of `variants.folder_of`."""


class BeingBuilt(NotBuilt):
    """The materials are on their way: ask again in AGAIN_S seconds."""


def of_attempt(attempt: Attempt) -> Asked:
    version = attempt.pack_version
    return (version.name, attempt.level, attempt.seed, version.digest, attempt.company)


def folder(
    pack: str, level: str, seed: int, digest: str, company: str, *, waits: UUID | None = None
) -> Path:
    """The materials of a variant, as `variants.find`; `waits` is the attempt whose clock runs for it.

    Raises BeingBuilt, or NotBuilt where the last try failed.
    """
    asked = (pack, level, seed, digest, company)
    found = variants.find(*asked)
    if found is None:
        BUILDER.ask(asked, waits)
    return found


def key(attempt: Attempt) -> dict[str, Any]:
    """Staff only: the key of the attempt's variant. Raises as `folder` does."""
    asked = of_attempt(attempt)
    if not variants.has_key(*asked):
        BUILDER.ask(asked)
    return variants.key_of(*asked)


class Builder:
    """Builds one after the other, in a thread that lives while there is something to build."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Asked, dict[UUID, datetime]] = {}
        self._failed: dict[Asked, str] = {}
        self._thread: Thread | None = None

    def ask(self, asked: Asked, attempt: UUID | None = None) -> NoReturn:
        """Have it built. `attempt`: whose clock gets back the time from the first time it asked."""
        with self._lock:
            if reason := self._failed.pop(asked, ""):
                raise NotBuilt(reason)
            if asked in self._waiting or len(self._waiting) < MOST_WAITING:
                since = self._waiting.setdefault(asked, {})
                if attempt is not None:
                    since.setdefault(attempt, timezone.now())
            if self._thread is None:
                self._thread = Thread(target=self._work, name="variants", daemon=True)
                self._thread.start()
        raise BeingBuilt("The materials are being prepared on this server.")

    def _work(self) -> None:
        try:
            while (asked := self._next()) is not None:
                reason = _built(asked)
                with self._lock:
                    since = self._waiting.pop(asked)
                    if reason:
                        self._failed[asked] = reason
                for attempt, began in since.items():
                    _give_back(attempt, began)
        finally:
            connection.close()

    def _next(self) -> Asked | None:
        with self._lock:
            asked = next(iter(self._waiting), None)
            if asked is None:
                self._thread = None
            return asked


def _built(asked: Asked) -> str:
    """Why it could not be built; "" where it was."""
    try:
        variants.key_of(*asked)  # with the key, which lies beside the folder
    except (NotBuilt, OSError) as error:
        logger.error("%s", error)
        return str(error)
    return ""


def _give_back(attempt: UUID, began: datetime) -> None:
    try:
        with locked(attempt) as row:
            now = timezone.now()
            credit(row, began=began, ended=now, reason=REASON, now=now)
    except (DatabaseError, Attempt.DoesNotExist) as error:
        logger.error("Attempt %s waited for its materials and was not credited: %s", attempt, error)


BUILDER = Builder()
