"""The Celery application: tasks carry the id of a database row and nothing else."""

from __future__ import annotations

import os
import warnings
from typing import Any

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
TRANSPORT_ALIASES["headnode-files"] = "headnode.file_broker:Transport"

# Workers are root where they can be, for the sake of whom they fence (docs/security.md), and read JSON alone.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("headnode")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def as_json(loglevel: int | None = None, **kwargs: Any) -> None:
    """Celery leaves the logs to whoever listens here."""
    from django.conf import settings

    from headnode.logs import in_workers

    in_workers(loglevel, settings.LOGGING)


if os.environ.get("LOG_FORMAT", "").strip().lower() == "json":
    setup_logging.connect(as_json, weak=False)
