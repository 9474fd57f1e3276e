"""Pins: remarks that an evaluator fixed to a place of the work."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import User
from assessments.models import Attempt, Submission
from reviews.models.scoring import others_open_to


class PinQuerySet(models.QuerySet["Pin"]):
    def of(self, attempt: Attempt, round: int | None = None) -> PinQuerySet:
        """Those of the answers that count."""
        rows = self.filter(submission__attempt=attempt, submission__superseded_at=None)
        return rows if round is None else rows.filter(submission__round=round)

    def visible_to(self, viewer: User) -> PinQuerySet:
        """One's own; others' of a round once one owes no scores of it, as for the scores."""
        if not viewer.has_perm("reviews.view_evaluation"):
            return self.none()
        others = others_open_to(viewer, attempt="submission__attempt", round="submission__round")
        return self.filter(Q(author=viewer) | others)


class Pin(models.Model):
    """A place of the work and who marked it. Never changed: what is said there are its wordings.

    The key is chosen by the page, so that a save that is sent twice makes one pin. `source` is
    "answer", "material", "run-KEY" or "graded-KEY-POSITION"; `first` and `last` are lines or rows
    from 1 on, seconds (steps) of a replay, or seconds since 1970 of a chart of the materials. `part` is
    the file or section, or the chart as JSON (`reviews.evidence.chart_places`).
    """

    class Kind(models.TextChoices):
        LINE = "line", "Lines of the answer"
        ROW = "row", "Rows of an output"
        TIME = "time", "Time of a replay or of a chart"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, models.PROTECT, related_name="pins")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="pins")
    kind = models.CharField(max_length=4, choices=Kind)
    source = models.CharField(max_length=80)
    part = models.CharField(max_length=350, blank=True)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    place = models.CharField(max_length=500, help_text="The place in words.")
    quote = models.TextField(blank=True, help_text="What stood there.")
    pinned_at = models.DateTimeField()

    objects = PinQuerySet.as_manager()

    class Meta:
        ordering = ["pinned_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(last__gte=F("first")), name="pin_ends_after_start")
        ]

    def __str__(self) -> str:
        return self.place

    def newest(self) -> PinWording | None:
        """What counts now; read the wordings ahead where there are many pins."""
        return max(self.wordings.all(), key=lambda row: row.pk, default=None)

    @property
    def text(self) -> str:
        row = self.newest()
        return row.text if row else ""

    @property
    def withdrawn(self) -> bool:
        row = self.newest()
        return row is not None and row.withdrawn


class PinWording(models.Model):
    """What a pin says from then on, or that it was withdrawn. Append-only; the newest counts."""

    pin = models.ForeignKey(Pin, models.CASCADE, related_name="wordings")
    text = models.TextField(blank=True)
    withdrawn = models.BooleanField(default=False)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return "withdrawn" if self.withdrawn else self.text[:60]
