"""A grading shared between workers: each plays parts of it, and one puts them together."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from django.db import models
from django.utils import timezone

from assessments import answers, company
from assessments.jobs import MAX_LOSSES, Result
from assessments.models import GradingPart, GradingRun
from assessments.queue import publish
from graders.kinds import Asked, parted_grader_of
from library.packs import pack_of
from sandbox import Backend

PAUSE_S = 0.2
Perform = Callable[
    [GradingPart, Callable[[], dict[str, Any]], Callable[[dict[str, Any]], str]], None
]


def open_parts(run: GradingRun) -> None:
    """A row for each hidden workload, and word to the other workers."""
    now = timezone.now()
    rows = [
        GradingPart(grading_run=run, number=number, created_at=now)
        for number in range(1, run.hidden_workloads + 1)
    ]
    GradingPart.objects.bulk_create(rows, ignore_conflicts=True)
    for pk in unplayed(run).exclude(number=1).values_list("pk", flat=True):
        publish("assessments.tasks.execute_part", pk, expires=60)


def unplayed(run: GradingRun) -> models.QuerySet[GradingPart]:
    """Parts that nobody has finished, in their order."""
    return run.parts.filter(finished_at=None).order_by("number")


def play_part(part: GradingPart, backend: Backend, perform: Perform) -> None:
    """Play a part that this worker has claimed."""
    asked = _asked(part.grading_run, backend)

    def work() -> dict[str, Any]:
        played = parted_grader_of(asked.pack.name).grade_part(asked, part.number)
        if played is not None and played.ours:
            return {"status": Result.INFRASTRUCTURE_ERROR, "detail": played.detail}
        # as one text: a database may put the keys of an object into another order
        text = json.dumps(played.to_dict() if played else None)
        return {"status": Result.DONE, "part": text}

    perform(part, work, lambda report: report["status"])


def conduct(
    run: GradingRun,
    worker: str,
    backend: Backend,
    perform: Perform,
    progress: Callable[[int, int], None],
    give_way: Callable[[], object],
) -> dict[str, Any]:
    """Play whatever part nobody else has, wait for those that others have, assemble the report.

    `give_way` is called before each part, for what must not wait until the grading is done. A part
    that failed on our side ends the grading as such; what was played is kept for the next try.
    """
    open_parts(run)
    told = -1
    while (left := list(unplayed(run))) and not any(map(_trouble, left)):
        done = run.hidden_workloads - len(left)
        if done != told:
            progress(done, run.hidden_workloads)
            told = done
        give_way()
        if part := _claimed(left, worker):
            play_part(part, backend, perform)
        else:
            time.sleep(PAUSE_S)
    if left:
        said = next(filter(None, map(_trouble, left)))
        unplayed(run).delete()
        return {"status": Result.INFRASTRUCTURE_ERROR, "detail": said}
    return _report(run, backend)


def _trouble(part: GradingPart) -> str:
    """What kept the part from being played, in one sentence."""
    lost = f"{part.losses} workers were lost while they played part {part.number}."
    return part.trouble or (lost if part.losses >= MAX_LOSSES else "")


def _claimed(left: list[GradingPart], worker: str) -> GradingPart | None:
    for part in left:
        if GradingPart.objects.claim(part.pk, worker, timezone.now()):
            return GradingPart.objects.get(pk=part.pk)
    return None


def _report(run: GradingRun, backend: Backend) -> dict[str, Any]:
    asked = _asked(run, backend)
    grader = parted_grader_of(asked.pack.name)
    found = [json.loads(row.report["part"]) for row in run.parts.order_by("number")]
    parts = [grader.part_from(data) for data in found if data is not None]
    return grader.assemble(asked, parts, grader.of_code(asked)).to_dict()


def _asked(run: GradingRun, backend: Backend) -> Asked:
    attempt = run.submission.attempt
    return Asked(
        pack_of(attempt.pack_version.name),
        attempt.level,
        attempt.seed,
        answers.program(attempt, run.submission.body),
        backend,
        company.of_attempt(attempt),
        round=run.submission.round,
    )
