"""Celery tasks: thin doors to the verbs, each carrying the id of a row."""

from __future__ import annotations

import logging
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_process_shutdown, worker_ready
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from assessments import building, execution
from assessments.gpu import cards
from assessments.happened import grading_given_up
from assessments.live_slurm import hosting
from assessments.materials import variants
from assessments.models import GradingRun, Run
from assessments.outages import credit_run, keep_pulse
from assessments.own_work import finding
from assessments.practice import rooms
from assessments.pulses import GPU, WORKER
from assessments.queue import publish
from assessments.submissions import close_due
from assessments.turns import take_turn

logger = logging.getLogger(__name__)


@shared_task(bind=True)
def execute_run(self: Task[Any, Any], pk: str) -> None:
    """A run waits; so it is with the three below. The row is named for who reads logs."""
    take_turn(_queue(self))


@shared_task(bind=True)
def execute_grading(self: Task[Any, Any], pk: str) -> None:
    take_turn(_queue(self))


@shared_task(bind=True)
def execute_part(self: Task[Any, Any], pk: str) -> None:
    take_turn(_queue(self))


@shared_task(bind=True)
def find_questions(self: Task[Any, Any], pk: str) -> None:
    take_turn(_queue(self))


def _queue(task: Task[Any, Any]) -> str:
    """The queue that the message came by."""
    return str((task.request.delivery_info or {}).get("routing_key") or cards.DEFAULT_QUEUE)


@shared_task(bind=True)
def prepare_variant(self: Task[Any, Any], pk: str) -> None:
    """The row only says that something waits: the most urgent is built first, and after any run."""
    execution.take_run(_queue(self))
    building.build_next()


@shared_task
def draw_variants(pk: str) -> None:
    """Of an opening that many were invited to. Whose link is opened before has theirs drawn then."""
    building.draw_of(int(pk), timezone.now)


@shared_task
def sweep() -> None:
    """Close what is due, end what was tried too often, remind the workers of what waits."""
    now = timezone.now()
    cards.stop_clocks(now)
    close_due(now=now)
    execution.free_dead_leases(now)
    for model, task in ((Run, "execute_run"), (GradingRun, "execute_grading")):
        for pk in model.objects.give_up(now):
            if model is Run:
                credit_run(Run.objects.get(pk=pk), now=now)
            else:
                grading_given_up.send(GradingRun, run=GradingRun.objects.get(pk=pk), now=now)
        for pk in model.objects.startable(now).order_by("created_at").values_list("pk")[:50]:
            publish(f"assessments.tasks.{task}", pk[0], expires=10)
    finding.remind(now)
    building.remind(now)


@shared_task
def sweep_sandbox() -> None:
    execution.sandbox().sweep()


@shared_task
def sweep_practice() -> None:
    rooms.sweep(timezone.now())


@shared_task
def prune_variants() -> None:
    variants.prune(timezone.now())


@worker_process_shutdown.connect
def close_sandbox(**kwargs: Any) -> None:
    """End what still runs and the spares; the process itself ends without cleaning up."""
    if execution.sandbox.cache_info().currsize:
        execution.sandbox().close()


@worker_ready.connect
def start_pulse(sender: Any, **kwargs: Any) -> None:
    """The worker is back: credit who waited, then take up what was left."""
    queues = set(sender.app.amqp.queues.consume_from)
    if cards.DEFAULT_QUEUE in queues:
        keep_pulse(WORKER, places=settings.GRADING_SLOTS)
        hosting.build_root()
    if cards.GPU_QUEUE in queues:
        keep_pulse(GPU, lambda: not cards.obstacle())
    try:
        sweep()
    except DatabaseError as error:
        logger.warning("The worker started without its database: %s", error)
