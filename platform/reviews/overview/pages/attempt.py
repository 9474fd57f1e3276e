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
from assessments.models import Attempt, GradingRun, Run, Submission, TimeEvent
from reviews.access import as_json, attempt_for, page_context, report_of, submission_of
from reviews.evidence import (
    answer_text,
    automation,
    terminal_record,
)
from reviews.evidence.kinds import staff_of
from reviews.evidence.ordinary_minutes import pace_of
from reviews.feedback import challenges
from reviews.models import Decision, Defence, Evaluation, Note
from reviews.overview.pages.evaluators import standing_context
from reviews.phases import grading_tag, phase_tag, progress, time_left
from reviews.scoring import blindness, overrides
from reviews.scoring.pages.pins import pins_context
from reviews.visibility import may_read_decisions, may_see_clock, may_see_feedback, may_see_measures

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
        "may_decide": viewer.has_perm("reviews.add_decision"),
    }
    context |= standing_context(attempt, viewer, now)
    if viewer.has_perm("assessments.view_submission"):
        context |= answer_context(attempt, viewer) | extras(attempt, viewer)
        context |= pins_context(attempt, viewer)
    if viewer.has_perm("reviews.view_defence"):
        context["defences"] = defences_of(attempt, viewer)
    return render(request, "reviews/attempt.html", context)


def about_of(attempt: Attempt) -> str:
    """What the revision is about, in words; "" where there is none."""
    revision = getattr(attempt, "revision", None)
    return challenges.about(revision) if revision else ""


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


def answer_context(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Both rounds' answers, what changed, and the evidence in so far as the viewer may see it."""
    titles = answer_text.section_titles(attempt)
    handed_in = [row for number in (1, 2) if (row := submission_of(attempt, number))]
    sees = [may_see_measures(viewer, attempt, row.round) for row in handed_in]
    context: dict[str, Any] = {
        "staff": staff_of(attempt.exercise),
        "rounds": [
            round_view(attempt, row, titles, shown)
            for row, shown in zip(handed_in, sees, strict=True)
        ],
    }
    context["is_spoken"] = handed_in[-1].source == Submission.Source.SPOKEN if handed_in else False
    if len(handed_in) == 2 and not context["is_spoken"]:
        first, second = handed_in
        context["comparisons"] = answer_text.comparisons(
            first.body, second.body, titles, pace_of(attempt)
        )
        if all(sees):
            changes = automation.measure_changes(report_of(first), report_of(second))
            context["measure_changes"] = changes
            context["drawn_anew"] = automation.drawn_anew(report_of(first), report_of(second))
    return context


def round_view(
    attempt: Attempt, submission: Submission, titles: dict[str, str], sees: bool
) -> dict[str, Any]:
    """One round for the page; scores are left out where the viewer may not see measures."""
    runs = list(submission.grading_runs.all())
    report = report_of(submission)
    reported = next((run for run in runs if run.finished_at and run.report), None)
    held = overrides.of(reported if sees else None)
    return {
        "number": submission.round,
        "submission": submission,
        "parts": answer_text.parts(submission.body, titles, pace_of(attempt)),
        "grading": runs[0] if runs else None,
        "gradings": runs,
        "grading_tag": grading_tag(runs[0] if runs else None, timezone.now()),
        "progress": grading_progress(submission, runs[0] if runs else None),
        "is_graded_soon": bool(runs) and runs[0].finished_at is None,
        "report_run": reported.pk if reported else None,
        "sees_measures": sees,
        "measures": overrides.beside(report, held) if sees else [],
        "score": (report or {}).get("score") if sees else None,
        "report": report if sees else None,
        "overridden": held,
        **staff_of(attempt.exercise).round(attempt, reported, held.corrected, sees=sees),
    }


def grading_progress(submission: Submission, run: GradingRun | None) -> str:
    return progress(run, submission.attempt, timezone.now()) if run else ""


def extras(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Runs, commands and what came too late: without times for whoever scores."""
    now = timezone.now()
    runs = attempt.runs.defer("report").select_related("draft")[:SHOWN_RUNS]
    return {
        "runs": [(run, grading_word(run, now)) for run in runs],
        "run_count": attempt.runs.count(),
        "terminal": terminal_record.record(attempt),
        "late": attempt.drafts.filter(late=True).defer("body"),
        # not through attempt.submissions: that is prefetched without the superseded ones
        "superseded": Submission.objects.filter(attempt=attempt)
        .exclude(superseded_at=None)
        .defer("body"),
    }


def grading_word(run: Run, now: Any) -> tuple[str, str]:
    words = {
        "queued": ("waiting", "info"),
        "running": ("running", "info"),
        "done": ("ran", "good"),
        "candidate_error": ("did not finish", "warn"),
        "stopped": ("stopped by the candidate", "info"),
    }
    return words.get(run.state(now), ("failed on our side", "bad"))


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


def defences_of(attempt: Attempt, viewer: User) -> list[Defence]:
    """What is on record of explain and defend, as far as the viewer may read it."""
    rows = Defence.objects.visible_to(viewer).current().filter(attempt=attempt)
    rows = rows.select_related("by").prefetch_related("questions__question", "corrections")
    return list(rows)


def decisions_about(attempt: Attempt) -> list[Decision]:
    link = attempt.invitation
    rows = Decision.objects.filter(opening=link.opening, candidate=link.candidate)
    return list(rows.select_related("decided_by"))


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
        "state": grading_word(row, timezone.now()),
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
