"""Whether this site's demo is to come alive: a mark in the data folder, and the bell that calls a worker."""

from __future__ import annotations

import json
import logging
from datetime import datetime
from pathlib import Path

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)
TASK = "headnode.tasks.enliven_demo"


def _mark() -> Path:
    return settings.DATA / "demo-alive.json"


def ask_for(made: datetime) -> None:
    """Note that the demo, made just now in an empty database, is to come alive."""
    _write(made, complete=False)


def is_complete(made: datetime) -> None:
    """Note that nothing is left: what staff change or erase from now on stays as they left it."""
    _write(made, complete=True)


def _write(made: datetime, *, complete: bool) -> None:
    _mark().write_text(json.dumps({"made": made.isoformat(), "complete": complete}))


def made_at() -> datetime | None:
    """When the demo was made that is still to come alive; None where there is none or all is done."""
    if not _mark().exists():
        return None
    known = json.loads(_mark().read_text())
    return None if known["complete"] else datetime.fromisoformat(known["made"])


def ring(seconds: float = 0.0) -> None:
    """Call a worker in so many s; a broker that does not answer leaves it to the next start."""
    try:
        current_app.send_task(TASK, countdown=seconds, retry=False)
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take the bell for the demo: %s", error)
