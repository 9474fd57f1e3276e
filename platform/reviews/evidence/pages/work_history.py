"""The course of an attempt with a slider: the files at each moment and what changed just then."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from assessments.models import Attempt, Run
from reviews.access import attempt_for, page_context
from reviews.evidence import answer_text, assistant_record, work_history
from reviews.evidence.kinds import staff_of
from reviews.evidence.ordinary_minutes import ordinary_time_of
from reviews.evidence.terminal_record import told
from reviews.evidence.work_history import Step
from reviews.phases import run_word
from reviews.visibility import may_see_clock

MARKED = ("run", "command", "assistant", "handed-in")  # steps to jump by


@never_cache
@require_safe
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One step, ?step=1 and up; the newest where none is asked for."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_submission")
    steps = work_history.steps(attempt)
    number = _asked(request.GET.get("step", ""), len(steps))
    context = page_context(request, attempt, "Course of the work")
    context |= _step(attempt, steps, number, viewer)
    return render(request, "reviews/work_history.html", context)


def _asked(text: str, last: int) -> int:
    """The step in the address, or the last one where it names none."""
    known = text.isascii() and text.isdecimal() and len(text) < 9
    return min(max(int(text), 1), last) if known else last


def _step(attempt: Attempt, steps: list[Step], number: int, viewer: User) -> dict[str, Any]:
    step = steps[number - 1]
    titles, ordinary_time = answer_text.section_titles(attempt), ordinary_time_of(attempt)
    body = work_history.body_at(attempt, steps, number)
    before = work_history.body_at(attempt, steps, number - 1) if number > 1 else body
    sees_clock = may_see_clock(viewer, attempt)
    return {
        "step": step,
        "count": len(steps),
        "previous": number - 1 if number > 1 else None,
        "next": number + 1 if number < len(steps) else None,
        "changes": work_history.changes(before, body, titles, ordinary_time),
        "parts": answer_text.parts(body, titles, ordinary_time),
        "marks": [_mark(one, len(steps)) for one in steps if one.kind in MARKED],
        "act": staff_of(attempt.exercise).act,
        "sees_clock": sees_clock,
        "run": _run(step, attempt, viewer),
        "commands": told(attempt, step.commands),
        "asked": assistant_record.told(attempt, [step.turn] if step.turn else []),
        "notes": _events(attempt, step) if sees_clock else [],
    }


def _mark(step: Step, count: int) -> dict[str, Any]:
    """Runs, commands and answers handed in, as a list to jump by."""
    return {"number": step.number, "title": step.title, "kind": step.kind, "of": count}


def _run(step: Step, attempt: Attempt, viewer: User) -> dict[str, Any] | None:
    """The run that this step is, with the way to its own page."""
    row = step.row
    if not isinstance(row, Run) or not viewer.has_perm("assessments.view_run"):
        return None
    url = reverse("admin:run", args=[attempt.pk, row.pk]) if row.finished_at else ""
    return {"state": run_word(row, timezone.now()), "detail": row.detail, "url": url}


def _events(attempt: Attempt, step: Step) -> list[str]:
    """What happened to the clock at that very moment."""
    return [
        event.reason for event in attempt.time_events.all() if event.at == step.at and event.reason
    ]
