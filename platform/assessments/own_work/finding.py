"""Find the questions about an answer in a worker: to play a program takes its time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from assessments import answers, company
from assessments.execution import has_slot, looking_for_a_place, perform, sandbox, worker_name
from assessments.jobs import Result
from assessments.models import OwnWorkRound, Submission
from assessments.queue import publish
from graders.kinds import Asked
from graders.own_work import Own, asker_of, questions_of
from library.packs import pack_of

TASK = "assessments.tasks.find_questions"
REMINDED = 10


def waiting(now: datetime) -> list[int]:
    """Rounds whose questions nobody looks for, the oldest first."""
    rows = OwnWorkRound.objects.startable(now).order_by("created_at", "pk")
    return list(rows.values_list("pk", flat=True))


def remind(now: datetime) -> None:
    """End what was tried too often, and tell the workers of what waits."""
    OwnWorkRound.objects.give_up(now)
    for pk in waiting(now)[:REMINDED]:
        publish(TASK, pk, expires=10)


def find_questions(pk: int) -> bool:
    """Look for the questions of one round; False where no place is free or somebody else has it."""
    now, worker = timezone.now(), worker_name()
    with looking_for_a_place():
        if not has_slot(worker, now) or not OwnWorkRound.objects.claim(pk, worker, now):
            return False
    row = OwnWorkRound.objects.select_related("submission__attempt__pack_version").get(pk=pk)
    perform(row, lambda: found(row.submission), lambda _: Result.DONE)
    return True


def found(submission: Submission) -> dict[str, Any]:
    """The questions about the answer as they are kept: `{"questions": [...], "detail": a sentence}`."""
    questions = [one.to_dict() for one in questions_of(own_of(submission))]
    detail = (
        f"{len(questions)} questions were found."
        if questions
        else "Nothing could be asked about this answer that it does not say itself."
    )
    return {"questions": questions, "detail": detail, "pack": pack_of(_pack(submission)).digest}


def own_of(submission: Submission) -> Own:
    """The answer as those who ask about it read it."""
    attempt, body = submission.attempt, submission.body
    files = answers.program(attempt, body)
    asker = asker_of(_pack(submission))
    needs = asker is not None and asker.needs_sandbox
    asked = Asked(
        pack_of(_pack(submission)),
        attempt.level,
        attempt.seed,
        files,
        sandbox() if needs else None,
        company.of_attempt(attempt),
    )
    written = [str(text) for text in body["sections"].values()]
    # a program's text tells no right answer; what is written in a table or on a board may
    prose = "\n".join(written if attempt.exercise.is_run else [*written, *files.values()])
    last = attempt.runs.filter(round=submission.round).order_by("-created_at").first()
    return Own(asked, prose, last.workload if last else "")


def _pack(submission: Submission) -> str:
    return submission.attempt.pack_version.name
