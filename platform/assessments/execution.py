"""Carry out runs and gradings in a worker: claim the row, run the program, record how it ended."""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from accounts.log_marks import marked
from assessments import answers, company
from assessments.gpu.cards import DEFAULT_QUEUE, of_queue
from assessments.happened import sandbox_refused
from assessments.jobs import Job, Result
from assessments.kinds import workplace_of
from assessments.models import (
    Attempt,
    GradingPart,
    GradingRun,
    OwnWorkRound,
    PreparedVariant,
    Run,
)
from assessments.outages import credit_run
from assessments.parts import conduct, play_part
from assessments.processes import start_time
from assessments.queue import publish
from graders.kinds import grade, is_parted, needs_sandbox, run_public
from library.packs import pack_of
from sandbox import Backend, SandboxUnavailable, open_backend

logger = logging.getLogger(__name__)
PRACTICE = Q(attempt__exercise__opening__practice_of__isnull=False)


@cache
def sandbox() -> Backend:
    """This process's sandbox, as the settings choose it; raises SandboxUnavailable."""
    return open_backend(
        settings.SANDBOX_BACKEND,
        allow_reduced=settings.SANDBOX_ALLOW_REDUCED,
        state_dir=settings.SANDBOX_STATE,
        docker_url=settings.SANDBOX_DOCKER_URL,
        runtime=settings.SANDBOX_RUNTIME,
        spares=settings.SANDBOX_SPARES,
    )


def worker_name() -> str:
    """Host, process number and its start time: who holds a lease."""
    return f"{socket.gethostname()}:{os.getpid()}:{start_time(os.getpid())}"


def is_gone(worker: str) -> bool:
    """True where the name is of a process of this host that has ended."""
    host, process, started = worker.rsplit(":", 2)
    return host == socket.gethostname() and start_time(int(process)) != started


def free_dead_leases(now: datetime) -> int:
    """Free rows whose worker was killed, without waiting for the lease to run out."""
    freed = 0
    for model in (Run, GradingRun, GradingPart, PreparedVariant, OwnWorkRound):
        for job in model.objects.running(now):
            if job.worker.count(":") == 2 and is_gone(job.worker):
                job.end_lease(now)
                freed += 1
    return freed


def take_run(queue: str = DEFAULT_QUEUE) -> bool:
    """Carry out the run that has waited longest for workers of the queue; False where none waits."""
    now = timezone.now()
    rows = _practice_behind(
        of_queue(Run.objects.startable(now), queue, "attempt__pack_version"), now
    )
    return any(execute_run(pk) for pk in rows.values_list("pk", flat=True))


def _practice_behind(rows: Any, now: datetime) -> Any:
    """In turn; practice after everything real, and never on more than half of the places."""
    running = Run.objects.running(now).filter(PRACTICE).count()
    if running >= max(1, settings.CELERY_WORKER_CONCURRENCY // 2):
        rows = rows.exclude(PRACTICE)
    behind = ExpressionWrapper(PRACTICE, BooleanField())
    return rows.annotate(behind=behind).order_by("behind", "created_at")


def execute_run(pk: UUID | str) -> bool:
    """One run of a draft on a public workload; False where somebody else has it or it has ended."""
    if not Run.objects.claim(pk, worker_name(), timezone.now()):
        return False
    run = Run.objects.select_related("draft", "attempt__pack_version").get(pk=pk)
    if run.stop_requested_at:
        ended = {"result": Result.STOPPED, "detail": run.STOPPED, "report": None}
        run.finish(**ended, now=timezone.now())
    else:
        cancel = threading.Event()
        perform(run, lambda: _told(run, played(run, cancel), cancel), run_result, cancel)
    credit_run(Run.objects.get(pk=pk), now=timezone.now())
    return True


def _told(run: Run, report: dict[str, Any], cancel: threading.Event) -> dict[str, Any]:
    """The report as it is kept: one that ended because the candidate asked for it says so."""
    if report["status"] == "cancelled" and cancel.is_set():
        report |= {"status": Result.STOPPED, "detail": run.STOPPED}
    return with_pack(run.attempt, report)


def run_result(report: dict[str, Any]) -> str:
    """What became of the run: one that we cut short is tried again, for nobody had asked for it."""
    return RUN_RESULTS.get(report["status"], Result.CANDIDATE_ERROR)


def played(run: Run, cancel: threading.Event) -> dict[str, Any]:
    """The report of a run: a program's in the sandbox, a plan's in a process of ours."""
    attempt = run.attempt
    files = answers.program(attempt, run.draft.body)
    place = workplace_of(attempt.exercise)
    if (own := place.play(attempt, files, run.workload, cancel)) is not None:
        return own
    report = run_public(
        attempt.pack_version.name,
        attempt.level,
        attempt.seed,
        files,
        sandbox(),
        run.workload,
        company.of_attempt(attempt),
        cancel,
    )
    return report.to_dict()


RUN_RESULTS = {
    "ok": Result.DONE,
    "sandbox_error": Result.INFRASTRUCTURE_ERROR,
    "cancelled": Result.INFRASTRUCTURE_ERROR,
    Result.STOPPED: Result.STOPPED,
}


def execute_grading(pk: int, clock: Callable[[], datetime] = timezone.now) -> bool:
    """One grading of a submission on hidden workloads; False where no place is free or it is taken.

    clock: says when it ended.
    """
    now, worker = timezone.now(), worker_name()
    with looking_for_a_place():
        # without one: whoever ends next, or the sweep, comes back to it
        if not has_slot(worker, now) or not GradingRun.objects.claim(pk, worker, now):
            return False
    run = GradingRun.objects.select_related("submission__attempt__pack_version").get(pk=pk)

    def show(done: int, total: int) -> None:
        GradingRun.objects.filter(pk=run.pk, finished_at=None).update(progress=done)

    def work() -> dict[str, Any]:
        if not is_parted(run.submission.attempt.pack_version.name):
            return graded(run, show)
        report = conduct(run, worker, sandbox(), perform, show, give_way=take_run)
        return with_pack(run.submission.attempt, report)

    perform(run, work, lambda report: Result(report["status"]), clock=clock)
    GradingPart.objects.filter(grading_run=run, grading_run__finished_at__isnull=False).delete()
    return True


def execute_part(pk: int) -> bool:
    """Help with a grading that another worker holds; False where no place is free or no help needed."""
    now, worker = timezone.now(), worker_name()
    held = GradingPart.objects.filter(pk=pk, grading_run__in=GradingRun.objects.running(now))
    with looking_for_a_place():
        if not has_slot(worker, now) or not held.exists():
            return False
        if not GradingPart.objects.claim(pk, worker, now):
            return False
    part = GradingPart.objects.select_related("grading_run__submission__attempt__pack_version")
    play_part(part.get(pk=pk), sandbox(), perform)
    return True


@contextmanager
def looking_for_a_place() -> Iterator[None]:
    """One process of this host after another, so that no two take the last place."""
    settings.DATA.mkdir(parents=True, exist_ok=True)
    with (settings.DATA / "grading.lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def has_slot(worker: str, now: datetime) -> bool:
    """Whether this worker may grade beside those of its host: the rest is kept for candidates' runs."""
    host = worker.partition(":")[0]
    busy = {
        name
        for model in (GradingRun, GradingPart, OwnWorkRound)
        for name in model.objects.running(now).values_list("worker", flat=True)
        if name.partition(":")[0] == host
    }
    return len(busy - {worker}) < settings.GRADING_SLOTS


def with_pack(attempt: Attempt, report: dict[str, Any]) -> dict[str, Any]:
    """The report with the company profile's digest, marked where the pack is no longer the one of the start."""
    if attempt.company:
        report = report | {"company": company.mark(attempt.company)}
    begun, used = attempt.pack_version, pack_of(attempt.pack_version.name)
    if used.digest == begun.digest:
        return report
    mark = f"measured with version {used.version} of the scenario ({used.digest[:8]}); the attempt "
    mark += f"began with {begun.version} ({begun.digest[:8]})"
    return report | {"marks": [*report.get("marks", []), mark]}


def graded(run: GradingRun, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """The report of grading a run's submission now; stores nothing."""
    attempt = run.submission.attempt
    report = grade(
        attempt.pack_version.name,
        attempt.level,
        attempt.seed,
        answers.handed_in(run.submission),
        sandbox() if needs_sandbox(attempt.pack_version.name) else None,
        run.hidden_workloads,
        profile=company.of_attempt(attempt),
        progress=progress,
        round=run.submission.round,
    )
    return with_pack(attempt, report.to_dict())


def perform(
    job: Job,
    work: Callable[[], dict[str, Any]],
    result_of: Callable[[dict[str, Any]], str],
    cancel: threading.Event | None = None,
    clock: Callable[[], datetime] = timezone.now,
) -> None:
    """Do the work under a heartbeat; our own failure releases the row for another try.

    `cancel`, which the work listens to, is set when the row asks for the end of it; `clock` says when it ended.
    """
    with marked(job=f"{type(job).__name__} {job.pk}", attempt=_attempt_of(job)):
        _perform(job, work, result_of, cancel, clock)


def _attempt_of(job: Job) -> object:
    """The number of the attempt that it is done for; None where it is done for no single one."""
    of: Any = getattr(job, "grading_run", job)
    of = getattr(of, "submission", of)
    return getattr(of, "attempt_id", None)


def _perform(
    job: Job,
    work: Callable[[], dict[str, Any]],
    result_of: Callable[[dict[str, Any]], str],
    cancel: threading.Event | None,
    clock: Callable[[], datetime],
) -> None:
    try:
        with job.heartbeat(cancel):
            report = work()
        result = result_of(report)
    except SandboxUnavailable as error:
        logger.error("The sandbox refuses to run anything: %s", error)
        sandbox_refused.send(type(job), layer=error.layer)
        _put_back(job, str(error), counts=False)
        return
    except Exception as error:
        logger.exception("%s failed on our side.", job)
        _put_back(job, f"{type(error).__name__}: {error}")
        return
    if result == Result.INFRASTRUCTURE_ERROR:
        logger.error("%s failed on our side: %s", job, report.get("detail"))
        _put_back(job, str(report.get("detail") or "No reason given."))
        return
    job.finish(result=result, detail=str(report.get("detail", "")), report=report, now=clock())


def _put_back(job: Job, trouble: str, *, counts: bool = True) -> None:
    """Release the row, and wake a worker when its pause is over."""
    pause = job.release(timezone.now(), trouble=trouble, counts=counts)
    tasks = {Run: "execute_run", GradingRun: "execute_grading"}
    if task := tasks.get(type(job)):
        publish(f"assessments.tasks.{task}", job.pk, countdown=pause.total_seconds())
