"""Celery tasks of the reviews: what the schedule lets go."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from reviews.privacy import retention


@shared_task
def carry_out_retention() -> None:
    retention.carry_out(timezone.now())
