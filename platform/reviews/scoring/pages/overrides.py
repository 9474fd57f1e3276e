"""The page on which a person sets their word beside a machine's measure, or takes it back."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.confirmed import ReasonForm, Refused, Verb, confirm
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import GradingRun
from reviews.access import attempt_for
from reviews.evidence import automation
from reviews.scoring import overrides
from reviews.visibility import grading_visible_to


class OverrideForm(ReasonForm):
    measure = forms.ChoiceField()
    score = forms.FloatField(
        label="Score that holds",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.01", "inputmode": "decimal"}),
        help_text="0 is the naive answer, 1 the reference. Leave it empty to take your override back.",
    )
    field_order = ["measure", "score", "reason"]

    def __init__(self, *args: Any, measures: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["measure"].choices = measures  # type: ignore[attr-defined]


def _override(run: GradingRun, data: dict[str, Any], by: User, now: datetime) -> str:
    try:
        row = overrides.override(
            run,
            measure=data["measure"],
            score=data["score"],
            reason=data["reason"],
            by=by,
            now=now,
        )
    except NotPossible as error:
        raise Refused(str(error)) from error
    label = next(
        (one.label for one in automation.measures(run.report) if one.key == row.measure), ""
    )
    if row.score is None:
        return f"Took the override of “{label}” back. Reason: {row.reason}"
    was = "not measured" if row.machine_score is None else f"{row.machine_score:.2f}"
    return f"Set “{label}” to {row.score:.2f} (machine: {was}). Reason: {row.reason}"


OVERRIDE = Verb(
    title="Override a measure",
    explanation=(
        "The machine's figure and its report stay as they are, and are shown beside yours with "
        "your name and the reason, on every page and in every export."
    ),
    button="Set the score",
    permission="reviews.add_measureoverride",
    perform=_override,
    form=OverrideForm,
)


def override(request: HttpRequest, pk: UUID, grading: int) -> HttpResponse:
    """For whoever may see the measures: administrators, and evaluators whose scorecard is in."""
    viewer, attempt = attempt_for(request, pk, OVERRIDE.permission)
    run = get_object_or_404(GradingRun, pk=grading, submission__attempt=attempt)
    if not grading_visible_to(viewer, run):
        raise Http404
    measures = [
        (row.key, f"{row.label}: {'not measured' if row.score is None else f'{row.score:.2f}'}")
        for row in automation.measures(run.report)
    ]
    back = reverse("admin:attempt", args=[attempt.pk]) + "#evidence"
    return confirm(request, run, OVERRIDE, back=back, measures=measures)
