"""Addresses that are told what happened, and the events that they are told of."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q

from assessments.models import Attempt, GradingRun, Submission
from hiring.models import Candidate, Invitation, Opening
from reviews.models import Decision, Evaluation


class Webhook(models.Model):
    """An address of another system, with the events it is told of and the secret that signs them."""

    url = models.URLField("address", max_length=500)
    description = models.CharField(max_length=150, blank=True)
    events = models.JSONField(default=list, help_text="Types of events; empty: all.")
    secret = models.TextField(help_text="Sealed; it signs what is sent.")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True, blank=True)
    stop_reason = models.CharField(max_length=300, blank=True, default="", db_default="")

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.description or urlsplit(self.url).netloc

    def wants(self, kind: str) -> bool:
        """Whether it is told of events of that type."""
        return not self.events or kind in self.events


def _noticed_once(name: str, **without: None) -> models.UniqueConstraint:
    """One event of a type for each row that `name` leads to; `without`: what only later events name."""
    condition = Q(**{f"{name}__isnull": False}, **without)
    return models.UniqueConstraint(
        fields=["kind", name], condition=condition, name=f"{name}_noticed_once"
    )


class Event(models.Model):
    """Something that happened, noticed once from the row that says so. Names keys and no person."""

    exported_as = "events_told_to_other_systems"
    """Where these rows stand in a candidate's copy of their data."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField("type", max_length=40)
    at = models.DateTimeField(help_text="When it happened.")
    noticed_at = models.DateTimeField(db_index=True)
    opening = models.ForeignKey(Opening, models.CASCADE, related_name="+")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    invitation = models.ForeignKey(Invitation, models.CASCADE, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, models.CASCADE, null=True, related_name="+")
    submission = models.ForeignKey(Submission, models.CASCADE, null=True, related_name="+")
    grading = models.ForeignKey(GradingRun, models.CASCADE, null=True, related_name="+")
    scorecard = models.ForeignKey(Evaluation, models.CASCADE, null=True, related_name="+")
    decision = models.ForeignKey(Decision, models.CASCADE, null=True, related_name="+")

    class Meta:
        ordering = ["noticed_at", "pk"]
        constraints = [
            _noticed_once("decision"),
            _noticed_once("scorecard"),
            _noticed_once("grading"),
            _noticed_once("submission", grading=None, scorecard=None),
            _noticed_once("attempt", submission=None),
            _noticed_once("invitation", attempt=None),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at:%Y-%m-%d %H:%M:%S}"

    @classmethod
    def exported(cls, candidate: Candidate) -> list[dict[str, Any]]:
        """Which system was told of what, and when: each time that it arrived."""
        told = cls.objects.filter(candidate=candidate, deliveries__delivered_at__isnull=False)
        rows = told.order_by("deliveries__delivered_at", "deliveries__pk")
        columns = ("kind", "at", "deliveries__webhook", "deliveries__delivered_at")
        systems = {row.pk: str(row) for row in Webhook.objects.all()}
        return [
            {"event": kind, "happened_at": at, "system": systems[webhook], "told_at": told_at}
            for kind, at, webhook, told_at in rows.values_list(*columns)
        ]
