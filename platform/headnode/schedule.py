"""Celery's beat, which says with each turn that it is alive: one that hangs is seen as one that is gone."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler
from django.db import connection

from assessments.outages import Saying
from assessments.pulses import SCHEDULE


class Scheduler(PersistentScheduler):
    """Pulses whenever something was due, which the sweep is every ten seconds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._saying = Saying(SCHEDULE)

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        """Send what is due, and say so; a broker that refuses raises, and then nothing is said."""
        sent = super().apply_async(*args, **kwargs)
        self._saying.to_this_host()
        self._saying.now()
        connection.close()
        return sent
