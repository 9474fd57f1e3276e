"""One attempt on one page: the answer, the machine evidence, scorecards, runs, time, notes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.audit import note_action
from accounts.models import User
from accounts.prose import ProseField
from assessments.clock import EventKind
from assessments.models import Attempt, GradingRun, Submission, TimeEvent
from reviews.access import as_json, attempt_for, page_context
from reviews.answers import submission_of
from reviews.decisions.decisions import decisions_about
from reviews.evidence import (
    answer_text,
    assistant_record,
    automation,
    own_work,
    terminal_record,
)
from reviews.evidence.kinds import staff_of
from reviews.feedback.challenges import about_of
from reviews.feedback.defence import defences_of
from reviews.models import Evaluation, Note
from reviews.overview.pages.evaluators import evaluators_context
from reviews.phases import phase_tag, run_word, time_left
from reviews.scoring import blindness
from reviews.scoring.pages.answer import answer_context
from reviews.scoring.pages.pinned import pins_context
from reviews.similarity import findings
from reviews.visibility import (
    may_act_on,
    may_read_decisions,
    may_see_clock,
    may_see_feedback,
    may_see_measures,
)

SHOWN_RUNS = 30


@require_safe
def show(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = attempt_for(request, pk, "assessments.view_attempt")
    now = timezone.now()
    sees_clock = may_see_clock(viewer, attempt)
    phase = attempt.phase(now)
    context = page_context(request, attempt, f"{attempt.exercise}")
    context |= {
        "phase": phase_tag(attempt, now),
        "is_working": phase.accepts,
        "can_reopen": phase in {"submitted", "revision_submitted"},
        "sees_clock": sees_clock,
        "time_left": time_left(attempt, now) if sees_clock else "",
        "events": clock_history(attempt) if sees_clock else [],
        "assignments": attempt.assignments.all(),
        "cards": cards_of(attempt, viewer),
        "replaced_cards": replaced_cards(attempt, viewer),
        "owes": owed_rounds(attempt, viewer),
        "notes": Note.objects.visible_to(viewer).filter(attempt=attempt).select_related("author"),
        "note_length": NoteForm.LONGEST,
        "sees_feedback": may_see_feedback(viewer, attempt),
        "about": about_of(attempt),
        "decisions": decisions_about(attempt) if may_read_decisions(viewer, attempt) else [],
        "may_decide": may_act_on(viewer, attempt, "reviews.add_decision"),
        "may_assign": may_act_on(viewer, attempt, "reviews.add_assignment"),
        "similar": findings.count(viewer, attempt),
        "may_regrade": may_act_on(viewer, attempt, "assessments.add_gradingrun"),
    }
    context |= evaluators_context(attempt, viewer, now)
    if viewer.has_perm("assessments.view_submission"):
        context |= answer_context(attempt, viewer) | extras(attempt, viewer)
        context |= pins_context(attempt, viewer)
    if viewer.has_perm("reviews.view_defence"):
        context["defences"] = defences_of(attempt, viewer)
        context["own_work"] = own_work.asked_of(attempt, viewer, now)
    return render(request, "reviews/attempt.html", context)


EVENT_WORDS = {
    EventKind.STARTED: "Started",
    EventKind.EXTENDED: "Extended",
    EventKind.CREDITED: "Lost time given back",
    EventKind.SUBMITTED: "Handed in",
    EventKind.PROMOTED: "Time was over, last draft handed in",
    EventKind.REOPENED: "Reopened",
    EventKind.REVISION_OPENED: "Revision opened",
    EventKind.REVISION_STARTED: "Revision started",
}


def clock_history(attempt: Attempt) -> list[tuple[TimeEvent, str]]:
    return [(event, EVENT_WORDS[EventKind(event.kind)]) for event in attempt.time_events.all()]


def extras(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Runs, commands and what came too late: without times for whoever scores."""
    now = timezone.now()
    runs = attempt.runs.defer("report").select_related("draft")[:SHOWN_RUNS]
    return {
        "runs": [(run, run_word(run, now)) for run in runs],
        "run_count": attempt.runs.count(),
        "terminal": terminal_record.record(attempt),
        "assistant": assistant_record.record(attempt),
        "late": attempt.drafts.filter(late=True).defer("body"),
        # not through attempt.submissions: that is prefetched without the superseded ones
        "superseded": Submission.objects.filter(attempt=attempt)
        .exclude(superseded_at=None)
        .defer("body"),
    }


def cards_of(attempt: Attempt, viewer: User) -> list[Evaluation]:
    """The scorecards that the viewer may see, with their ratings."""
    cards = Evaluation.objects.visible_to(viewer).current().of(attempt)
    cards = cards.select_related("evaluator", "submission__attempt__invitation")
    return blindness.marked(cards.prefetch_related("ratings"))


def replaced_cards(attempt: Attempt, viewer: User) -> list[Evaluation]:
    """Scorecards of answers that were replaced when the attempt was reopened: on record only."""
    cards = Evaluation.objects.visible_to(viewer).replaced().submitted().of(attempt)
    return list(cards.select_related("evaluator", "submission").prefetch_related("ratings"))


def owed_rounds(attempt: Attempt, viewer: User) -> list[tuple[int, bool]]:
    """(round, own scorecard is in) for each round that the viewer can score."""
    if not attempt.scores_it:  # type: ignore[attr-defined]
        return []
    own = Evaluation.objects.current().of(attempt).filter(evaluator=viewer)
    done = set(own.submitted().values_list("submission__round", flat=True))
    return [(row.round, row.round in done) for row in attempt.submissions.all()]


@never_cache
@require_safe
@as_json
def chart(request: HttpRequest, pk: UUID, grading: int, position: int) -> JsonResponse:
    """The timeline of one hidden workload; it names no score."""
    _, attempt = attempt_for(request, pk, "assessments.view_gradingrun")
    run = get_object_or_404(GradingRun, pk=grading, submission__attempt=attempt)
    data = automation.timeline(run.report, position)
    if data is None:
        raise Http404
    return JsonResponse(data)


@require_safe
def run(request: HttpRequest, pk: UUID, run: UUID) -> HttpResponse:
    """What the candidate saw of one run; its measures only once the viewer may see measures."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_run")
    row = get_object_or_404(attempt.runs.select_related("draft"), pk=run)
    sees = may_see_measures(viewer, attempt, row.round)
    report, staff = row.report or {}, staff_of(attempt.exercise)
    context = page_context(request, attempt, f"Run of draft {row.draft.number}")
    context |= {
        "run": row,
        "staff": staff,
        "state": run_word(row, timezone.now()),
        "sees_measures": sees,
        "sees_clock": may_see_clock(viewer, attempt),
        "measures": automation.measures(report) if sees else [],
        "stdout": answer_text.numbered(report.get("stdout", "")),
        "stderr": answer_text.numbered(report.get("stderr", "")),
    }
    context |= staff.run(report) if sees else {}
    # a remark needs an answer of that round to stand by
    pinned = row.round if submission_of(attempt, row.round) else None
    context |= pins_context(attempt, viewer, pinned) | {"round": row.round}
    return render(request, "reviews/run.html", context)


@never_cache
@require_safe
@as_json
def run_chart(request: HttpRequest, pk: UUID, run: UUID) -> JsonResponse:
    _, attempt = attempt_for(request, pk, "assessments.view_run")
    row = get_object_or_404(attempt.runs.all(), pk=run)
    data = (row.report or {}).get("timeline")
    if not data:
        raise Http404
    return JsonResponse(data)


class NoteForm(forms.Form):
    LONGEST = 5000

    text = ProseField(
        max_length=LONGEST,
        error_messages={
            "required": "An empty note was not kept: write something first.",
            "max_length": f"The note was not kept: it may have {LONGEST:,} characters at most.",
            "null_characters_not_allowed": "The note was not kept: take the NUL character out.",
        },
    )


@require_POST
def add_note(request: HttpRequest, pk: UUID) -> HttpResponse:
    viewer, attempt = attempt_for(request, pk, "reviews.add_note")
    form = NoteForm(request.POST)
    if form.is_valid():
        Note.objects.create(
            attempt=attempt,
            round=attempt.round,
            author=viewer,
            text=form.cleaned_data["text"],
            written_at=timezone.now(),
        )
        note_action(viewer, attempt, "Wrote a note.")
        messages.success(request, "The note is kept. Only staff can read it.")
    else:
        messages.error(request, str(form.errors["text"][0]))
    return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]) + "#notes")
