"""Celery tasks of the reviews: what the schedule lets go, and who still owes a scorecard."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from reviews import papers
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
def make_paper(pk: str) -> None:
    papers.make(pk)


@shared_task
def look_after_papers() -> None:
    papers.look_after(timezone.now())
