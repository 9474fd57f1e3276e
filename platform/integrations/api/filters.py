"""What lists can be narrowed by: never by what a row may not tell its reader."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import django_filters
from django import forms
from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django_filters.fields import IsoDateTimeField
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from assessments.models import Attempt, GradingRun, Submission
from hiring.models import Candidate, Invitation, Opening
from integrations.models import Delivery
from library.models import Question, Seniority
from reviews.models import Evaluation
from scenarios.kinds import CHOICES

HIGHEST_KEY = 10**18 - 1
PAGING = ("cursor", "page_size")


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": HIGHEST_KEY})
class KeyFilter(django_filters.Filter):
    """The number of a row."""

    field_class = forms.IntegerField

    def __init__(self, field_name: str, **kwargs: Any) -> None:
        super().__init__(field_name, min_value=1, max_value=HIGHEST_KEY, **kwargs)


@extend_schema_field({"type": "boolean"})
class YesNoFilter(django_filters.TypedChoiceFilter):
    """true or false, and nothing else."""

    def __init__(self, field_name: str, **kwargs: Any) -> None:
        choices = (("true", "true"), ("false", "false"))
        super().__init__(field_name, choices=choices, coerce=lambda sent: sent == "true", **kwargs)


class MomentField(IsoDateTimeField):
    """Gives the database UTC: PostgreSQL knows no offset of sixteen hours or more, which ISO 8601 allows."""

    def clean(self, value: Any) -> datetime | None:
        found: datetime | None = super().clean(value)
        try:
            return found and found.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("No calendar has this moment in UTC.") from None


@extend_schema_field({"type": "string", "format": "date-time"})
class MomentFilter(django_filters.IsoDateTimeFilter):
    field_class = MomentField


class KnownFilters(DjangoFilterBackend):
    """Refuses what it does not know, instead of answering with a list that nobody narrowed."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        known = set(PAGING)
        if filterset := self.get_filterset_class(view, queryset):
            known |= set(filterset.base_filters)
        for name, values in request.query_params.lists():
            if name not in known:
                listed = ", ".join(sorted(known))
                raise ValidationError({name: [f"There is no such filter: {listed}."]})
            if len(values) != 1 or not values[0]:
                raise ValidationError({name: ["Write it once, with a value, or leave it out."]})
        found: QuerySet[Any] = super().filter_queryset(request, queryset, view)
        return found


class OpeningFilter(django_filters.FilterSet):
    level = django_filters.ChoiceFilter(choices=Seniority.choices)
    is_open = YesNoFilter("closed_at", lookup_expr="isnull")

    class Meta:
        model = Opening
        fields: list[str] = []


class CandidateFilter(django_filters.FilterSet):
    email = django_filters.CharFilter("email", lookup_expr="iexact")
    opening = KeyFilter("invitations__opening", distinct=True)

    class Meta:
        model = Candidate
        fields: list[str] = []


class InvitationFilter(django_filters.FilterSet):
    opening = KeyFilter("opening")
    candidate = KeyFilter("candidate")
    is_revoked = YesNoFilter("revoked_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Invitation
        fields: list[str] = []


class AttemptFilter(django_filters.FilterSet):
    opening = KeyFilter("invitation__opening")
    exercise = KeyFilter("exercise")
    candidate = KeyFilter("invitation__candidate", method="of_somebody_named")

    class Meta:
        model = Attempt
        fields: list[str] = []

    def of_somebody_named(
        self, rows: QuerySet[Attempt], name: str, value: Any
    ) -> QuerySet[Attempt]:
        """Only of attempts whose candidate the reader knows: the filter would tell who it is."""
        return rows.filter(Q(named=True), invitation__candidate=value)


class SubmissionFilter(django_filters.FilterSet):
    attempt = django_filters.UUIDFilter("attempt")
    opening = KeyFilter("attempt__invitation__opening")

    class Meta:
        model = Submission
        fields: list[str] = []


class GradingFilter(django_filters.FilterSet):
    attempt = django_filters.UUIDFilter("submission__attempt")
    submission = KeyFilter("submission")
    opening = KeyFilter("submission__attempt__invitation__opening")

    class Meta:
        model = GradingRun
        fields: list[str] = []


class ScorecardFilter(django_filters.FilterSet):
    attempt = django_filters.UUIDFilter("submission__attempt")
    opening = KeyFilter("submission__attempt__invitation__opening")

    class Meta:
        model = Evaluation
        fields: list[str] = []


class QuestionFilter(django_filters.FilterSet):
    level = django_filters.ChoiceFilter(choices=Seniority.choices)
    topic = django_filters.CharFilter("topic_id")
    related_exercise = django_filters.ChoiceFilter(choices=CHOICES)

    class Meta:
        model = Question
        fields: list[str] = []


class DeliveryFilter(django_filters.FilterSet):
    webhook = KeyFilter("webhook")
    is_delivered = YesNoFilter("delivered_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Delivery
        fields: list[str] = []


class AuditFilter(django_filters.FilterSet):
    since = MomentFilter("action_time", lookup_expr="gte")
    until = MomentFilter("action_time", lookup_expr="lt")
    person = KeyFilter("user")

    class Meta:
        model = LogEntry
        fields: list[str] = []
