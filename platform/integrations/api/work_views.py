"""What candidates did and what was made of it: read through the staff's own queries, and only read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from assessments.models import Attempt, GradingRun, Submission
from hiring import seen_by
from integrations.api import filters, work_forms
from integrations.api.base import Readable
from integrations.api.reports import written
from reviews.answers import with_answers
from reviews.decisions.reports import gather
from reviews.models import Assignment, Evaluation
from reviews.names_seen import named_in, note_names
from reviews.visibility import attempts_visible_to, gradings_visible_to, with_viewer


def _scored_by(viewer: User, attempt: str) -> Exists:
    """Whether the viewer is asked to score the attempt that the outer row's field names."""
    return Exists(Assignment.objects.filter(attempt=OuterRef(attempt), evaluator=viewer))


class Attempts(Readable):
    model, resource, permission = Attempt, "attempts", "assessments.view_attempt"
    verbs = {"report": "reviews.view_decision"}
    scopes = {"report": "reports"}
    serializer_class = work_forms.AttemptOut
    filterset_class = filters.AttemptFilter
    lookup_value_converter = "uuid"
    ordering = "pk"  # the order of the starts would tell of the clock

    def rows(self, viewer: User) -> QuerySet[Attempt]:
        rows = with_viewer(attempts_visible_to(viewer), viewer)
        rows = rows.select_related("invitation__candidate", "exercise")
        return rows.prefetch_related("time_events")

    def seen(self, rows: Sequence[Attempt]) -> None:
        if self.action == "list":
            note_names(self.viewer, named_in(rows), "api-attempts", now=self.now)
            return
        for row in rows:
            named = bool(row.named)  # type: ignore[attr-defined]
            candidate = row.invitation.candidate
            seen_by.note(self.viewer, candidate, f"api-{self.action}", now=self.now, named=named)

    @extend_schema(responses=work_forms.ReportOut)
    @action(detail=True, methods=["get"])
    def report(self, request: Request, pk: UUID) -> Response:
        """The report on the candidate of an attempt, for its opening, as the token's person may read it."""
        known = self.get_object()
        rows = with_answers(attempts_visible_to(self.viewer), self.viewer)
        about = rows.get(pk=known.pk)
        self.seen([about])
        found = written(gather(self.viewer, about), about)
        return Response(work_forms.ReportOut(found).data)


class OfAttempts(Readable):
    """Rows that hang on attempts; looking at one is looking at its candidate."""

    def seen(self, rows: Sequence[Any]) -> None:
        keys = {self.attempt_of(row).invitation.candidate_id for row in rows}
        seen_by.note_all(self.viewer, keys, f"api-{self.resource}", now=self.now, named=False)

    def attempt_of(self, row: Any) -> Attempt:
        found: Attempt = row.submission.attempt
        return found


class Submissions(OfAttempts):
    model, resource, permission = Submission, "submissions", "assessments.view_submission"
    serializer_class = work_forms.SubmissionOut
    filterset_class = filters.SubmissionFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Submission]:
        rows = Submission.objects.filter(
            attempt__in=attempts_visible_to(viewer), superseded_at=None
        )
        rows = rows.annotate(scores_it=_scored_by(viewer, "attempt"))
        return rows.select_related("attempt__invitation")

    def attempt_of(self, row: Submission) -> Attempt:
        return row.attempt


class Gradings(OfAttempts):
    model, resource, permission = GradingRun, "gradings", "assessments.view_gradingrun"
    serializer_class = work_forms.GradingOut
    filterset_class = filters.GradingFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[GradingRun]:
        rows = gradings_visible_to(viewer).annotate(
            scores_it=_scored_by(viewer, "submission__attempt")
        )
        return rows.select_related("submission__attempt__invitation")


class Scorecards(OfAttempts):
    model, resource, permission = Evaluation, "scorecards", "reviews.view_evaluation"
    serializer_class = work_forms.ScorecardOut
    filterset_class = filters.ScorecardFilter
    lookup_value_converter = "row"

    def rows(self, viewer: User) -> QuerySet[Evaluation]:
        rows = Evaluation.objects.visible_to(viewer).current().submitted()
        rows = rows.filter(submission__attempt__in=attempts_visible_to(viewer))
        rows = rows.select_related("evaluator", "submission__attempt__invitation")
        return rows.prefetch_related("ratings")
