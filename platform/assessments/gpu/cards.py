"""Where programs that need a GPU are run, and what the candidate is told of it; asks the sandbox, no driver."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from assessments.ledger import credit, locked
from assessments.models import Attempt, GradingRun, Run
from assessments.pulses import GPU, is_alive
from sandbox.gpu.lending import Cards
from scenarios.kinds import KINDS

ON_CARDS = [kind.key for kind in KINDS if kind.needs_card]
DEFAULT_QUEUE, GPU_QUEUE = "celery", "gpu"
WAITING = "Waiting for a GPU; your clock is stopped for this"
PRACTICE = (
    "This site has no GPU for this exercise at the moment. Your program runs on one processor, as a practice "
    "variant, and every result says so."
)
REASON = "A run waited for a GPU."
STEP = timedelta(seconds=30)
"""Time is put back in steps of this length, sooner where the deadline is that near."""


def needs_gpu(attempt: Attempt) -> bool:
    """Whether the exercise is one that belongs on a card."""
    return attempt.pack_version.kind in ON_CARDS


def is_served(now: datetime) -> bool:
    """Whether a worker with a GPU that works has been alive lately."""
    return is_alive(GPU, now)


def queue_of(task: str, pk: Any) -> str:
    """Which queue a row belongs to now: that of the GPU workers only while there is one."""
    names = {"execute_run": _kind_of_run, "execute_grading": _kind_of_grading}
    kind = names.get(task.rpartition(".")[2], lambda _pk: "")(pk)
    return GPU_QUEUE if kind in ON_CARDS and is_served(timezone.now()) else DEFAULT_QUEUE


def _kind_of_run(pk: Any) -> str:
    found = Run.objects.filter(pk=pk).values_list("attempt__pack_version__kind", flat=True)
    return found.first() or ""


def _kind_of_grading(pk: Any) -> str:
    found = GradingRun.objects.filter(pk=pk)
    return found.values_list("submission__attempt__pack_version__kind", flat=True).first() or ""


def of_queue(rows: QuerySet[Any], queue: str, pack_version: str) -> QuerySet[Any]:
    """Those of the rows that the queue's workers take; `pack_version` is the way to it from a row."""
    kind = {f"{pack_version}__kind__in": ON_CARDS}
    if queue == GPU_QUEUE:
        return rows.filter(**kind)
    return rows.exclude(**kind) if is_served(timezone.now()) else rows


def obstacle() -> str:
    """Why this host cannot serve the queue `gpu`, in one sentence; empty when it can."""
    cards = Cards(settings.SANDBOX_STATE)
    if (reason := cards.obstacle()) or cards.has_packages:
        return reason
    return "Programs find no PyTorch for the GPU: set SANDBOX_GPU_PACKAGES (see docs/gpu.md)."


def waits(run: Run, now: datetime) -> bool:
    """Whether the run is in nobody's hands and will be taken up by a GPU worker."""
    return run.state(now) == "queued" and is_served(now) and needs_gpu(run.attempt)


def stop_clocks(now: datetime) -> int:
    """Give whoever waits for a GPU the time back while they wait; how many were credited."""
    waiting = Run.objects.waiting(now).filter(attempt__pack_version__kind__in=ON_CARDS)
    credited = 0
    for run in waiting.select_related("attempt__pack_version") if is_served(now) else ():
        with locked(run.attempt_id) as attempt:
            given = attempt.time_events.filter(reason=REASON, lost_until__gt=run.created_at)
            last = given.order_by("-lost_until").values_list("lost_until", flat=True).first()
            since = now - (last or run.created_at)
            if attempt.round == run.round and (since >= STEP or attempt.deadline_at - now < STEP):
                credited += credit(attempt, began=run.created_at, ended=now, reason=REASON, now=now)
    return credited
