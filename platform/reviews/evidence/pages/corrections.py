"""Where a person corrects how the machine read a statement: by one press beside it, or on a page of its own."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.audit import note_action
from accounts.not_possible import NotPossible
from accounts.prose import is_text
from assessments.models import Attempt, GradingRun
from reviews.access import attempt_for, page_context
from reviews.evidence import corrections, troubleshooting
from reviews.evidence.readings import reader_of, reading_of, statements_of
from reviews.visibility import grading_visible_to

PERMISSION = "reviews.add_measureoverride"
LONGEST = 500
PLACE = re.compile(r"e[12]-(?:cause|herring|row|finding)-[A-Za-z0-9_-]{1,80}")


@require_http_methods(["GET", "HEAD", "POST"])
def match(request: HttpRequest, pk: UUID, grading: int) -> HttpResponse:
    """For whoever may override a measure: administrators, and evaluators whose scorecard is in.

    GET ?statement=ID asks of what it speaks; POST keeps statement, subject, verdict, reason.
    """
    viewer, attempt = attempt_for(request, pk, PERMISSION)
    run = get_object_or_404(GradingRun, pk=grading, submission__attempt=attempt)
    if not grading_visible_to(viewer, run):
        raise Http404
    if request.method != "POST":
        return _page(request, attempt, run, request.GET.get("statement", ""))
    sent = {name: request.POST.get(name, "") for name in ("statement", "subject", "verdict")}
    reason = request.POST.get("reason", "").replace("\r\n", "\n")
    if len(reason) > LONGEST or not all(map(is_text, [reason, *sent.values()])):
        problem = f"A reason is text of at most {LONGEST} characters."
        return _page(request, attempt, run, sent["statement"], problem, 400)
    try:
        row = corrections.correct(run, **sent, reason=reason, by=viewer, now=timezone.now())
    except NotPossible as error:
        return _page(request, attempt, run, sent["statement"], str(error), 409)
    reader = reader_of(run.report)
    words = reader.said[row.verdict] if reader else "{quote}"
    said = words.format(quote=_short(row.quote), name=row.title)
    note_action(viewer, run, f"Corrected a match. {said}"[:2_000])
    messages.success(request, f"Kept: {said} The measures beside the machine’s follow.")
    return HttpResponseRedirect(_back(request, attempt, run))


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _back(request: HttpRequest, attempt: Attempt, run: GradingRun) -> str:
    """To where the button was pressed, on the page where it was."""
    at = request.POST.get("at", "")
    place = at if PLACE.fullmatch(at) else "evidence"
    if request.POST.get("back") == "score" and attempt.scores_it:  # type: ignore[attr-defined]
        return f"{reverse('admin:score', args=[attempt.pk, run.submission.round])}#{place}"
    return f"{reverse('admin:attempt', args=[attempt.pk])}#{place}"


def _page(
    request: HttpRequest,
    attempt: Attempt,
    run: GradingRun,
    statement: str,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    """The statement with what was read in it; back to the evidence for one that there is not."""
    reader, reading = reader_of(run.report), reading_of(run.report) or {}
    if reader is None:
        messages.error(request, "This grading has no reading of the answer to correct.")
        return HttpResponseRedirect(_back(request, attempt, run))
    row = next((one for one in statements_of(run.report) if one["id"] == statement), None)
    if row is None and not problem:
        messages.error(request, "The answer has no such statement: choose one from the evidence.")
        return HttpResponseRedirect(_back(request, attempt, run))
    held = corrections.of(run)
    mine = [one for (name, _), one in held.newest.items() if name == statement]
    context: dict[str, Any] = page_context(request, attempt, "What a statement speaks of")
    context |= {
        "problem": problem,
        "grading": run,
        "statement": replace(troubleshooting.quote(row), where=reader.place(row)) if row else None,
        "read": [
            (reader.name(one["subject"]), troubleshooting.VERDICTS.get(one["verdict"], ""))
            for one in (row or {}).get("matches", [])
        ],
        "corrected": [(one, reader.verdicts.get(one.verdict, "")) for one in mine],
        "choices": reader.choices(reading),
        "verdicts": list(reader.verdicts.items()),
        "nothing": reader.nothing,
        "longest": LONGEST,
        "back": "score" if request.GET.get("back") == "score" else "attempt",
    }
    return render(request, "reviews/match.html", context, status=status)
