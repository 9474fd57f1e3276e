"""Which waiting row a free worker takes: candidates' runs before everything else, then what else they wait for.

A message names a row, but says no more than that something waits. Whoever gets it carries out the best
row there is now, so the order does not hang on how a broker keeps its messages, and a run is never
behind the messages of gradings that were asked for before it.
"""

from __future__ import annotations

from django.utils import timezone

from assessments.execution import (
    execute_grading,
    execute_part,
    free_dead_leases,
    take_run,
)
from assessments.gpu.cards import DEFAULT_QUEUE, of_queue
from assessments.models import GradingPart, GradingRun
from assessments.own_work import finding
from assessments.own_work.finding import find_questions
from assessments.queue import publish

GRADINGS, PARTS = (
    "submission__attempt__pack_version",
    "grading_run__submission__attempt__pack_version",
)


def take_turn(queue: str = DEFAULT_QUEUE) -> bool:
    """Carry out one row for workers of the queue, then say that more waits; False where none does."""
    free_dead_leases(timezone.now())
    done = take_run(queue) or take_questions(queue) or take_grading(queue) or take_part(queue)
    if done:
        wake(queue)
    return done


def take_questions(queue: str) -> bool:
    """Find the questions about an answer that were asked for first, where this host has a place for it."""
    return queue == DEFAULT_QUEUE and any(map(find_questions, finding.waiting(timezone.now())))


def take_grading(queue: str) -> bool:
    """Begin the grading that was asked for first, where this host has a place for it.

    One that comes last begins only while no other waits.
    """
    return any(map(execute_grading, _gradings(queue)))


def take_part(queue: str) -> bool:
    """Help with a grading that another worker has, where this host has a place for it."""
    return any(map(execute_part, _parts(queue)))


def wake(queue: str) -> None:
    """Call for a worker where a grading waits: its own message may have come when no place was free."""
    if queue == DEFAULT_QUEUE and (questions := finding.waiting(timezone.now())[:1]):
        publish("assessments.tasks.find_questions", questions[0])
    elif waiting := _gradings(queue)[:1]:
        publish("assessments.tasks.execute_grading", waiting[0])
    elif parts := _parts(queue)[:1]:
        publish("assessments.tasks.execute_part", parts[0])


def _gradings(queue: str) -> list[int]:
    rows = of_queue(GradingRun.objects.startable(timezone.now()), queue, GRADINGS)
    return list(rows.order_by("comes_last", "created_at", "pk").values_list("pk", flat=True))


def _parts(queue: str) -> list[int]:
    now = timezone.now()
    rows = GradingPart.objects.startable(now).filter(
        grading_run__in=GradingRun.objects.running(now)
    )
    ordered = of_queue(rows, queue, PARTS).order_by(
        "grading_run__comes_last", "grading_run", "number"
    )
    return list(ordered.values_list("pk", flat=True))
