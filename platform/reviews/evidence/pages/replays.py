"""Replays for staff: two beside each other, the reference's, a picture to keep, how far a grading is."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from assessments.models import GradingRun
from assessments.places import PLACES, Busy
from reviews.access import as_json, attempt_for, page_context
from reviews.answers import submission_of
from reviews.evidence import automation, replays
from reviews.evidence.reference import NotPlayed, reference_json
from reviews.evidence.replay_svg import drawn
from reviews.phases import grading_tag, progress


@require_safe
def compare(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Two replays of an attempt over one time axis; ?a= and ?b= name them."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_submission")
    found = replays.sources(viewer, attempt)
    a, b = replays.chosen(found, request.GET.get("a", ""), request.GET.get("b", ""))
    groups = [(name, list(rows)) for name, rows in groupby(found, key=lambda one: one.group)]
    context = page_context(request, attempt, "Compare replays")
    context |= {
        "groups": groups,
        "a": a,
        "b": b,
        "sees_reference": replays.may_see_reference(viewer, attempt),
        "has_reference": any(one.key.startswith("reference-") for one in found),
    }
    return render(request, "reviews/compare.html", context)


@never_cache
@require_safe
@as_json
def reference_chart(request: HttpRequest, pk: UUID, workload: str) -> HttpResponse:
    """The reference on one of the attempt's workloads, for whoever may see measures."""
    viewer, attempt = attempt_for(request, pk, "assessments.view_gradingrun")
    known = dict(replays.reference_workloads(attempt))
    if workload not in known or not replays.may_see_reference(viewer, attempt):
        raise Http404
    try:
        with PLACES.place("replay", viewer.pk):
            body = reference_json(attempt, workload)
    except Busy as busy:
        return JsonResponse({"detail": str(busy.detail)}, status=429, headers={"Retry-After": "2"})
    except NotPlayed as error:
        return JsonResponse({"detail": str(error)}, status=503)
    return HttpResponse(body, content_type="application/json")


@never_cache
@require_safe
def picture(request: HttpRequest, pk: UUID, grading: int, position: int) -> HttpResponse:
    """One hidden workload as an SVG to look at or to keep; ?download keeps it. It names no score."""
    _, attempt = attempt_for(request, pk, "assessments.view_gradingrun")
    run = get_object_or_404(GradingRun, pk=grading, submission__attempt=attempt)
    data = automation.timeline(run.report, position)
    rows = {row.position: row for row in automation.workloads(run.report)}
    if data is None or position not in rows:
        raise Http404
    row = rows[position]
    heading = f"{row.title or row.name}, round {run.submission.round}"
    name = f"round-{run.submission.round}-{row.name}.svg"
    return as_svg(drawn(data, heading, row.detail), name, request)


@never_cache
@require_safe
def run_picture(request: HttpRequest, pk: UUID, run: UUID) -> HttpResponse:
    """A run of the candidate's as an SVG."""
    _, attempt = attempt_for(request, pk, "assessments.view_run")
    row = get_object_or_404(attempt.runs.select_related("draft"), pk=run)
    data = (row.report or {}).get("timeline")
    if not data or not data.get("t"):
        raise Http404
    heading = f"Run of draft {row.draft.number} on {row.workload}"
    svg = drawn(data, heading, row.detail)
    return as_svg(svg, f"draft-{row.draft.number}-{row.workload}.svg", request)


def as_svg(svg: str, name: str, request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    kept = "attachment" if "download" in request.GET else "inline"
    answer["Content-Disposition"] = f'{kept}; filename="{name}"'
    return answer


@never_cache
@require_safe
@as_json
def gradings(request: HttpRequest, pk: UUID) -> JsonResponse:
    """How far the grading of each round is: {"rounds": [{round, text, tone, progress, finished}]}."""
    _, attempt = attempt_for(request, pk, "assessments.view_gradingrun")
    now = timezone.now()
    rounds: list[dict[str, Any]] = []
    for number in (1, 2):
        submission = submission_of(attempt, number)
        run = next(iter(submission.grading_runs.all()), None) if submission else None
        if run is None:
            continue
        tag = grading_tag(run, now)
        rounds.append(
            {
                "round": number,
                "text": tag.text,
                "tone": tag.tone,
                "progress": progress(run, attempt, now),
                "finished": run.finished_at is not None,
            }
        )
    return JsonResponse({"rounds": rounds})
