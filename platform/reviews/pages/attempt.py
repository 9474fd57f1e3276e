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
from assessments.clock import EventKind
from assessments.models import Attempt, GradingRun, Run, Submission, TimeEvent
from library.packs import pack_of
from reviews import answer_text, evidence
from reviews.models import Decision, Evaluation, Note
from reviews.pages.access import as_json, attempt_for, page_context, report_of, submission_of
from reviews.phases import grading_tag, phase_tag, progress, time_left
from reviews.visibility import may_see_clock, may_see_feedback, may_see_measures

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
        "decisions": decisions_about(attempt) if may_read_decisions(viewer, attempt) else [],
        "may_decide": viewer.has_perm("reviews.add_decision"),
    }
    if viewer.has_perm("assessments.view_submission"):
        context |= answer_context(attempt, viewer) | extras(attempt, viewer)
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


def answer_context(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Both rounds' answers, what changed, and the evidence in so far as the viewer may see it."""
    titles = section_titles(attempt)
    handed_in = [row for number in (1, 2) if (row := submission_of(attempt, number))]
    sees = [may_see_measures(viewer, attempt, row.round) for row in handed_in]
    context: dict[str, Any] = {
        "rounds": [
            round_view(row, titles, shown) for row, shown in zip(handed_in, sees, strict=True)
        ]
    }
    if len(handed_in) == 2:
        first, second = handed_in
        context["comparisons"] = answer_text.comparisons(first.body, second.body, titles)
        if all(sees):
            changes = evidence.measure_changes(report_of(first), report_of(second))
            context["measure_changes"] = changes
    return context


def round_view(submission: Submission, titles: dict[str, str], sees: bool) -> dict[str, Any]:
    """One round for the page; scores are left out where the viewer may not see measures."""
    runs = list(submission.grading_runs.all())
    report = report_of(submission)
    return {
        "number": submission.round,
        "submission": submission,
        "parts": answer_text.parts(submission.body, titles),
        "grading": runs[0] if runs else None,
        "gradings": runs,
        "grading_tag": grading_tag(runs[0] if runs else None, timezone.now()),
        "progress": grading_progress(submission, runs[0] if runs else None),
        "is_graded_soon": bool(runs) and runs[0].finished_at is None,
        "workloads": evidence.workloads(report),
        "code": evidence.code(report),
        "own_tests": evidence.own_tests(report),
        "report_run": next((run.pk for run in runs if run.report), None),
        "sees_measures": sees,
        "measures": evidence.measures(report) if sees else [],
        "score": (report or {}).get("score") if sees else None,
        "report": report if sees else None,
    }


def grading_progress(submission: Submission, run: GradingRun | None) -> str:
    return progress(run, submission.attempt, timezone.now()) if run else ""


def extras(attempt: Attempt, viewer: User) -> dict[str, Any]:
    """Runs and what came too late: without times for whoever scores."""
    now = timezone.now()
    runs = attempt.runs.defer("report").select_related("draft")[:SHOWN_RUNS]
    return {
        "runs": [(run, grading_word(run, now)) for run in runs],
        "run_count": attempt.runs.count(),
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
    }
    return words.get(run.state(now), ("failed on our side", "bad"))


def section_titles(attempt: Attempt) -> dict[str, str]:
    pack = pack_of(attempt.pack_version.name)
    return {item.key: item.title for item in pack.sections(attempt.level)}


def cards_of(attempt: Attempt, viewer: User) -> list[Evaluation]:
    """The scorecards that the viewer may see, with their ratings."""
    cards = Evaluation.objects.visible_to(viewer).current().of(attempt)
    return list(cards.select_related("evaluator", "submission").prefetch_related("ratings"))


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


def may_read_decisions(viewer: User, attempt: Attempt) -> bool:
    """Earlier decisions would colour a scorecard that is not in yet."""
    if not viewer.has_perm("reviews.view_decision"):
        return False
    if not attempt.scores_it:  # type: ignore[attr-defined]
        return True
    owed = owed_rounds(attempt, viewer)
    return bool(owed) and all(done for _, done in owed)


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
    data = evidence.timeline(run.report, position)
    if data is None:
        raise Http404
    return JsonResponse(data)


@require_safe
def run(request: HttpRequest, pk: UUID, run: UUID) -> HttpResponse:
    """What the candidate saw of one run; its measures only once the viewer may see measures."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_run")
    row = get_object_or_404(attempt.runs.select_related("draft"), pk=run)
    sees = may_see_measures(viewer, attempt, row.round)
    report = row.report or {}
    context = page_context(request, attempt, f"Run of draft {row.draft.number}")
    context |= {
        "run": row,
        "state": grading_word(row, timezone.now()),
        "sees_measures": sees,
        "sees_clock": may_see_clock(viewer, attempt),
        "measures": evidence.measures(report) if sees else [],
        "stdout": answer_text.numbered(report.get("stdout", "")),
        "stderr": answer_text.numbered(report.get("stderr", "")),
    }
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

    text = forms.CharField(
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
