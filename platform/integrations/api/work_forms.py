"""Attempts, answers, gradings and scorecards as the API writes them, without what a reader may not know."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import User
from assessments.clock import Phase
from assessments.models import Attempt, GradingRun, Submission
from library.models import Seniority
from reviews.models import Evaluation
from reviews.visibility import shown_name

MEASURES = ("key", "label", "unit", "value", "naive", "reference", "score", "better", "explanation")
GRADINGS = ("queued", "running", "done", "stopped", "candidate_error", "infrastructure_error")


def sees_clock(viewer: User, scores_it: bool) -> bool:
    """As reviews.visibility.may_see_clock, of an attempt whose `scores_it` is known."""
    return viewer.has_perm("assessments.view_timeevent") and not scores_it


class AttemptOut(serializers.ModelSerializer[Attempt]):
    """candidate and invitation are null, and the name a pseudonym, until the reader may know who it is."""

    opening = serializers.IntegerField(source="invitation.opening_id")
    candidate = serializers.SerializerMethodField()
    candidate_name = serializers.SerializerMethodField()
    invitation = serializers.SerializerMethodField()
    level = serializers.ChoiceField(choices=Seniority.choices)
    phase = serializers.SerializerMethodField()
    scores_it = serializers.BooleanField(
        help_text="Whether the token's person is asked to score it."
    )
    started_at = serializers.SerializerMethodField(help_text="Null for whoever scores it.")
    deadline_at = serializers.SerializerMethodField(help_text="Null for whoever scores it.")

    class Meta:
        model = Attempt
        fields = (
            "id",
            "opening",
            "exercise",
            "candidate",
            "candidate_name",
            "invitation",
            "level",
            "round",
            "phase",
            "scores_it",
            "started_at",
            "deadline_at",
        )
        read_only_fields = fields

    def get_candidate(self, row: Any) -> int | None:
        return row.invitation.candidate_id if row.named else None

    def get_candidate_name(self, row: Attempt) -> str:
        return shown_name(row)

    @extend_schema_field({"type": ["string", "null"], "format": "uuid"})
    def get_invitation(self, row: Any) -> str | None:
        return str(row.invitation_id) if row.named else None

    @extend_schema_field(serializers.ChoiceField(choices=[phase.value for phase in Phase]))
    def get_phase(self, row: Attempt) -> str:
        return row.phase(self.context["now"]).value

    def get_started_at(self, row: Any) -> datetime | None:
        return row.started_at if sees_clock(self.context["viewer"], row.scores_it) else None

    def get_deadline_at(self, row: Any) -> datetime | None:
        return row.deadline_at if sees_clock(self.context["viewer"], row.scores_it) else None


class SubmissionOut(serializers.ModelSerializer[Submission]):
    """answer: {"files": {path: text}, "sections": {key: text}}, in the form of its kind of exercise."""

    submitted_at = serializers.SerializerMethodField(help_text="Null for whoever scores it.")
    answer = serializers.DictField(source="body", child=serializers.JSONField())

    class Meta:
        model = Submission
        fields = ("id", "attempt", "round", "source", "submitted_at", "sha256", "answer")
        read_only_fields = fields

    def get_submitted_at(self, row: Any) -> datetime | None:
        return row.submitted_at if sees_clock(self.context["viewer"], row.scores_it) else None


class MeasureOut(serializers.Serializer[Any]):
    """score: 0 where the naive reference stands, 1 where the good one does, and beyond; null: not measured."""

    key = serializers.CharField()
    label: Any = serializers.CharField(allow_null=True)
    unit = serializers.CharField(allow_null=True)
    value = serializers.JSONField(allow_null=True)
    naive = serializers.JSONField(allow_null=True)
    reference = serializers.JSONField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    better = serializers.CharField(allow_null=True)
    explanation = serializers.CharField(allow_null=True)


class GradingOut(serializers.ModelSerializer[GradingRun]):
    attempt = serializers.UUIDField(source="submission.attempt_id")
    round = serializers.IntegerField(source="submission.round")
    state = serializers.SerializerMethodField()
    score = serializers.SerializerMethodField(help_text="Mean of the measures, 0 to 1; null: none.")
    measures = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    finished_at = serializers.SerializerMethodField(help_text="Null for whoever scores it.")

    class Meta:
        model = GradingRun
        fields = (
            "id",
            "submission",
            "attempt",
            "round",
            "state",
            "detail",
            "score",
            "measures",
            "versions",
            "reason",
            "finished_at",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=GRADINGS))
    def get_state(self, row: GradingRun) -> str:
        return row.state(self.context["now"])

    def get_score(self, row: GradingRun) -> float | None:
        return (row.report or {}).get("score")

    @extend_schema_field(MeasureOut(many=True))
    def get_measures(self, row: GradingRun) -> list[dict[str, Any]]:
        listed = (row.report or {}).get("measures") or []
        return [{name: measure.get(name) for name in MEASURES} for measure in listed]

    @extend_schema_field(serializers.DictField(child=serializers.JSONField()))
    def get_versions(self, row: GradingRun) -> dict[str, Any]:
        return dict((row.report or {}).get("versions") or {})

    def get_finished_at(self, row: Any) -> datetime | None:
        return row.finished_at if sees_clock(self.context["viewer"], row.scores_it) else None


class RatingOut(serializers.Serializer[Any]):
    criterion = serializers.CharField()
    title = serializers.CharField()
    level = serializers.IntegerField(allow_null=True, min_value=1, max_value=5)
    level_text = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


class ScorecardOut(serializers.ModelSerializer[Evaluation]):
    attempt = serializers.UUIDField(source="submission.attempt_id")
    round = serializers.IntegerField(source="submission.round")
    evaluator: Any = serializers.StringRelatedField()
    is_own = serializers.SerializerMethodField()
    ratings = serializers.SerializerMethodField()

    class Meta:
        model = Evaluation
        fields = (
            "id",
            "submission",
            "attempt",
            "round",
            "evaluator",
            "is_own",
            "submitted_at",
            "supersedes",
            "correction_reason",
            "ratings",
        )
        read_only_fields = fields

    def get_is_own(self, row: Evaluation) -> bool:
        return bool(row.evaluator_id == self.context["viewer"].pk)

    @extend_schema_field(RatingOut(many=True))
    def get_ratings(self, row: Evaluation) -> list[dict[str, Any]]:
        return [
            {
                "criterion": rating.criterion_key,
                "title": title,
                "level": rating.level,
                "level_text": rating.level_text,
                "note": rating.note,
            }
            for title, rating in row.titled_ratings()
        ]


class EstimateOut(serializers.Serializer[Any]):
    """A mean on the scale of 1 to 5 with its 95 % interval; null where there is none."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    count = serializers.IntegerField()


class ReportMeasureOut(serializers.Serializer[Any]):
    """corrected and override: what people set beside the machine's word, which stays."""

    key = serializers.CharField()
    label: Any = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    corrected = serializers.FloatField(allow_null=True)
    override = serializers.FloatField(allow_null=True)


class CriterionOut(serializers.Serializer[Any]):
    title = serializers.CharField()
    levels = serializers.ListField(child=serializers.IntegerField(allow_null=True))
    mean = serializers.FloatField(allow_null=True)


class RoundOut(serializers.Serializer[Any]):
    """hidden_scorecards: how many are in that the reader may not read. measures: null where hidden."""

    number = serializers.IntegerField()
    submission = serializers.IntegerField()
    source: Any = serializers.CharField()
    criteria = CriterionOut(many=True)
    hidden_scorecards = serializers.IntegerField()
    measures = ReportMeasureOut(many=True, allow_null=True)


class PartOut(serializers.Serializer[Any]):
    attempt = serializers.UUIDField()
    exercise = serializers.IntegerField()
    title = serializers.CharField()
    rating = EstimateOut(allow_null=True)
    rounds = RoundOut(many=True)


class DecisionOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    outcome = serializers.CharField()
    reasons = serializers.CharField()
    decided_by = serializers.CharField()
    decided_at = serializers.DateTimeField()


class ReportOut(serializers.Serializer[Any]):
    """One candidate for one opening. decisions: null while the reader may not know them."""

    name = serializers.CharField()
    opening = serializers.IntegerField()
    page = serializers.URLField()
    owes_scorecard = serializers.BooleanField()
    work_samples = EstimateOut()
    interviews = EstimateOut()
    combined = EstimateOut()
    formula = serializers.ListField(child=serializers.CharField())
    parts = PartOut(many=True)
    decisions = DecisionOut(many=True, allow_null=True)
