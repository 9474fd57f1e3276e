"""Tell the workers that a row waits. A message that gets lost costs time only: the sweep repeats it."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from assessments.gpu.cards import queue_of

logger = logging.getLogger(__name__)
EXPIRES_S = 3600


def enqueue_run(pk: Any) -> None:
    transaction.on_commit(partial(publish, "assessments.tasks.execute_run", str(pk)))


def enqueue_grading(pk: int) -> None:
    transaction.on_commit(partial(publish, "assessments.tasks.execute_grading", pk))


def enqueue_variant(pk: int) -> None:
    transaction.on_commit(partial(publish, "assessments.tasks.prepare_variant", pk))


def enqueue_questions(pk: int) -> None:
    transaction.on_commit(partial(publish, "assessments.tasks.find_questions", pk))


def enqueue_drawing(opening: int) -> None:
    """Have the variants of an opening's invitations drawn that were made many at once."""
    transaction.on_commit(partial(publish, "assessments.tasks.draw_variants", opening))


def publish(task: str, pk: Any, expires: float = EXPIRES_S, countdown: float = 0.0) -> None:
    """Send the row's id, to be read in `countdown` s; a broker that does not answer is logged and left
    to the sweep."""
    times: dict[str, Any] = {"expires": expires, "countdown": countdown}
    try:
        queue = queue_of(task, pk)
        current_app.send_task(task, args=[str(pk)], queue=queue, retry=False, **times)
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take %s %s: %s", task, pk, error)
