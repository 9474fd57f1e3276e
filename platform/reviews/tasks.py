"""Celery tasks of the reviews: what the schedule lets go, and who still owes a scorecard."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from reviews import pdf_files
from reviews.messages import to_staff
from reviews.privacy import retention
from reviews.similarity import comparing


@shared_task
def carry_out_retention() -> None:
    retention.carry_out(timezone.now())


@shared_task
def remind_evaluators() -> None:
    to_staff.late_cards(now=timezone.now())


@shared_task
def compare_answer(pk: str) -> None:
    comparing.execute(pk)


@shared_task
def compare_answers() -> None:
    """What the messages missed, and what a new version of the algorithm has not seen."""
    comparing.catch_up(timezone.now())


@shared_task
def make_pdf_file(pk: str) -> None:
    pdf_files.make(pk)


@shared_task
def look_after_pdf_files() -> None:
    pdf_files.look_after(timezone.now())
