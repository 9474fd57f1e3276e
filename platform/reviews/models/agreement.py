"""Where evaluators differ and how well they know the scale: discussions, calibration by exemplars."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from accounts.models import User
from assessments.models import Submission
from library.models import HIGHEST, LOWEST, Seniority
from reviews.models.scoring import others_open_to


class DiscussionOutcomeQuerySet(models.QuerySet["DiscussionOutcome"]):
    def visible_to(self, viewer: User) -> DiscussionOutcomeQuerySet:
        """None of a round that the viewer still owes scores of: it tells what others rated."""
        if not viewer.has_perm("reviews.view_discussionoutcome"):
            return self.none()
        rows = self.annotate(
            about_attempt=F("submission__attempt"), about_round=F("submission__round")
        )
        return rows.filter(others_open_to(viewer, attempt="about_attempt", round="about_round"))


class DiscussionOutcome(models.Model):
    """The level that evaluators who differed agreed on, and why. Append-only: the latest counts.

    The scorecards stay as they were submitted, and agreement is computed on those.
    """

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="discussions")
    criterion_key = models.CharField(max_length=40)
    level = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(LOWEST), MaxValueValidator(HIGHEST)]
    )
    level_text = models.TextField(blank=True)
    reason = models.TextField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    objects = DiscussionOutcomeQuerySet.as_manager()

    class Meta:
        ordering = ["recorded_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="discussion_has_a_reason"),
            models.CheckConstraint(
                condition=Q(level__gte=LOWEST, level__lte=HIGHEST), name="agreed_level_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_key}: {self.level} after discussion"


class CalibrationCard(models.Model):
    """One evaluator's blind ratings of a shipped exemplar; frozen when submitted.

    ratings: {criterion key: {"level": 1 to 5 or null, "note"}}; agreed: {criterion key: {"level",
    "reason"}} as it was shown on submitting, empty before. It is about nobody's answer.
    """

    evaluator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="calibrations"
    )
    pack_name = models.CharField(max_length=100)
    level = models.CharField(max_length=10, choices=Seniority)
    exemplar = models.SlugField(max_length=40)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the exemplar and its ratings.")
    snapshot = models.JSONField(help_text="The criteria as they were when scoring began.")
    ratings = models.JSONField(default=dict)
    agreed = models.JSONField(default=dict)
    begun_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["begun_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluator", "pack_name", "level", "exemplar", "digest"],
                name="exemplar_scored_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.evaluator} on exemplar {self.exemplar} of {self.pack_name}, {self.level}"

    def criteria(self) -> list[dict[str, Any]]:
        """The criteria that an exemplar is rated by: those of a first answer."""
        return [item for item in self.snapshot["criteria"] if item["round"] == 1]
