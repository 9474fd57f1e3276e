"""One's own trial: begin it, go to it, see what the machine said, keep it as an exemplar."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.not_possible import NotPossible
from accounts.staff_admin import allow
from assessments.link import remember
from hiring.models import Invitation
from library.kept_exemplars import criteria_of, keep_exemplar, kept_as
from library.models import HIGHEST, LOWEST
from reviews.catalogue import trials
from reviews.catalogue.pages.catalogue import PERMISSION, entry_or_404
from reviews.evidence.automation import measures

KEEP = "library.view_rubric"


@require_POST
def begin(request: HttpRequest, kind: str, name: str) -> HttpResponse:
    """Make the trial and go to the candidate's first page of it."""
    person = allow(request, PERMISSION)
    found = entry_or_404(kind, name)
    try:
        made = trials.begin(found, request.POST.get("level", ""), by=person, now=timezone.now())
    except NotPossible as error:
        messages.error(request, str(error))
        return redirect("admin:catalogue-entry", kind, name)
    return _let_in(request, made)


@require_POST
def enter(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Go on where one left it, from any browser that one is signed in with."""
    return _let_in(request, _own(allow(request, PERMISSION), pk))


def _let_in(request: HttpRequest, row: Invitation) -> HttpResponse:
    answer = redirect("lobby", row.pk)
    remember(request, answer, row)
    return answer


def _own(person: User, pk: UUID) -> Invitation:
    found = trials.trials_of(person).filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


@require_GET
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    person = allow(request, PERMISSION)
    return _page(request, _own(person, pk))


@require_POST
def keep(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Keep the answer with the levels that its author proposes for it."""
    person, now = allow(request, KEEP), timezone.now()
    row = _own(person, pk)
    answer = trials.answer_of(row)
    if answer is None:
        raise Http404
    attempt, levels = answer.attempt, {str(n): n for n in range(LOWEST, HIGHEST + 1)}
    agreed = {
        item.key: {
            "level": levels.get(request.POST.get(f"level-{item.key}", ""), 0),
            "reason": request.POST.get(f"reason-{item.key}", "").replace("\x00", "").strip(),
        }
        for item in criteria_of(attempt.pack_version.name, attempt.level)
    }
    try:
        keep_exemplar(
            pack_name=attempt.pack_version.name,
            level=attempt.level,
            body=answer.body,
            agreed=agreed,
            by=person,
            now=now,
        )
    except NotPossible as error:
        return _page(request, row, problem=str(error), given=agreed)
    messages.success(request, "Kept as an exemplar: it is on the page Calibration now.")
    return redirect("admin:trial", row.pk)


def _page(
    request: HttpRequest,
    row: Invitation,
    *,
    problem: str = "",
    given: dict[str, dict[str, Any]] | None = None,
) -> HttpResponse:
    now, answer = timezone.now(), trials.answer_of(row)
    run = answer.latest_grading() if answer else None
    report: dict[str, Any] = (run.report if run else None) or {}
    exercise = row.exercises.get()
    context = {
        **admin.site.each_context(request),
        "title": f"Trial: {trials.title_of(row)}",
        "trial": row,
        "kind": exercise.pack_name.partition("/")[0],
        "name": exercise.pack_name.partition("/")[2],
        "exercise": exercise,
        "state": trials.in_words(row, now),
        "is_open": trials.is_open(row, now),
        "begun": trials.attempt_of(row) is not None,
        "answer": answer,
        "run": run,
        "run_state": run.state(now) if run else "",
        "measures": measures(report),
        "score": report.get("score"),
        "kept": kept_as(exercise.pack_name, exercise.level, answer.body) if answer else None,
        "may_keep": request.user.has_perm(KEEP),
        "criteria": [
            (item, (given or {}).get(item.key, {}))
            for item in criteria_of(exercise.pack_name, exercise.level)
        ],
        "problem": problem,
    }
    return render(request, "reviews/trial.html", context, status=409 if problem else 200)
