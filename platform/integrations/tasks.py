"""Celery tasks of other systems: notice what happened, tell whom it concerns, take in what they ordered."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from assessments.execution import worker_name
from integrations import deliveries
from integrations.api.idempotency import forget_old as forget_keys
from integrations.outgoing import request_for
from integrations.tracking import arrivals, orders
from integrations.webhooks.events import notice


@shared_task
def speak_with_others() -> None:
    """What happened since the last time goes out, and what tracking systems ordered comes in."""
    worker = worker_name()
    arrivals.take_in_due(worker, timezone.now)
    notice(timezone.now())
    orders.tell_all(timezone.now())
    deliveries.send_due(request_for, worker, timezone.now)


@shared_task
def forget_old() -> None:
    now = timezone.now()
    deliveries.forget_old(now)
    arrivals.forget_old(now)
    forget_keys(now)
