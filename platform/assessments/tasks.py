"""Celery tasks: thin doors to the verbs, each carrying the id of a row."""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.db import DatabaseError
from django.utils import timezone

from assessments import execution
from assessments.attempts import close_due
from assessments.models import GradingRun, Run
from assessments.outages import WEB, WORKER, is_away, keep_pulse
from assessments.queue import publish

logger = logging.getLogger(__name__)


@shared_task
def execute_run(pk: str) -> None:
    execution.execute_run(pk)


@shared_task
def execute_grading(pk: int) -> None:
    execution.execute_grading(pk)


@shared_task
def sweep() -> None:
    """Close what is due, end what was tried too often, remind the workers of what waits."""
    now = timezone.now()
    if not is_away(WEB, now):  # nobody's round is closed while they could not reach us
        close_due(now=now)
    execution.free_dead_leases(now)
    for model, task in ((Run, "execute_run"), (GradingRun, "execute_grading")):
        model.objects.give_up(now)
        for pk in model.objects.claimable(now).order_by("created_at").values_list("pk")[:50]:
            publish(f"assessments.tasks.{task}", str(pk[0]), expires=10)


@shared_task
def sweep_sandbox() -> None:
    execution.sandbox().sweep()


@worker_ready.connect
def start_pulse(**kwargs: Any) -> None:
    """The worker is back: credit who waited, then take up what was left."""
    try:
        keep_pulse(WORKER)
        sweep()
    except DatabaseError as error:
        logger.warning("The worker started without its database: %s", error)
