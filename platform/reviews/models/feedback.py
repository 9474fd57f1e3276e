"""What is written beside the scores: feedback for the candidate, notes for the staff."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Value

from accounts.models import User
from assessments.models import Attempt
from reviews.models.pins import Pin
from reviews.models.scoring import others_open_to, own_card_in


class FeedbackQuerySet(models.QuerySet["Feedback"]):
    def visible_to(self, viewer: User) -> FeedbackQuerySet:
        """One's own words; others' once one owes no scores of the first answer."""
        if not viewer.has_perm("reviews.view_feedback"):
            return self.none()
        rows = self.annotate(about_round=Value(1))
        others = others_open_to(viewer, attempt="attempt", round="about_round")
        if not viewer.has_perm("reviews.view_decision"):  # a guest rates the revision by it
            others = Q(released_at__isnull=False) & Q(
                own_card_in(viewer, attempt="attempt", round="about_round")
            )
        return rows.filter(Q(author=viewer, changed_by=None) | others)


class Feedback(models.Model):
    """Exactly one strength and one improvement for a candidate; releasing it opens the revision."""

    attempt = models.OneToOneField(Attempt, models.PROTECT, related_name="feedback")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who last changed another person's words.",
    )
    strength = models.TextField(blank=True)
    improvement = models.TextField(blank=True)
    strength_place = models.CharField(
        max_length=500,
        blank=True,
        help_text="Where in the work it shows, as the candidate reads it.",
    )
    improvement_place = models.CharField(max_length=500, blank=True)
    strength_pin = models.ForeignKey(
        Pin, models.SET_NULL, null=True, blank=True, related_name="+", help_text="The place's pin."
    )
    improvement_pin = models.ForeignKey(
        Pin, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    strength_row = models.CharField(
        max_length=100, blank=True, help_text="Row of the answer's table that the strength names."
    )
    challenged_row = models.CharField(
        max_length=100, blank=True, help_text="Row of the table that the improvement challenges."
    )
    challenge = models.JSONField(
        default=dict,
        blank=True,
        help_text="What the grader had suggested of that row: rank, reasons, question; empty: nothing.",
    )
    focus = models.CharField(max_length=200, blank=True)
    written_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    objects = FeedbackQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"Feedback on {self.attempt}"


class EarlyRelease(models.Model):
    """Why feedback goes out although a scorecard is owed or a difference open, and who agreed.

    matters: what was open then, as it was told; a later matter needs a request of its own.
    """

    feedback = models.ForeignKey(Feedback, models.CASCADE, related_name="early_releases")
    matters = models.JSONField()
    reason = models.TextField()
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    agreed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    agreed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="early_release_has_a_reason"),
            models.CheckConstraint(
                condition=Q(agreed_by=None) | ~Q(agreed_by=F("asked_by")),
                name="early_release_by_two_people",
            ),
        ]

    def __str__(self) -> str:
        return f"Early release of {self.feedback}, asked by {self.asked_by}"


class NoteQuerySet(models.QuerySet["Note"]):
    def visible_to(self, viewer: User) -> NoteQuerySet:
        """One's own; others' of a round once one owes no scores of it."""
        if not viewer.has_perm("reviews.view_note"):
            return self.none()
        others = others_open_to(viewer, attempt="attempt", round="round")
        return self.filter(Q(author=viewer) | others)


class Note(models.Model):
    """A remark for staff only, written while the attempt was in that round."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="notes")
    round = models.PositiveSmallIntegerField(default=1)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    text = models.TextField()
    written_at = models.DateTimeField()

    objects = NoteQuerySet.as_manager()

    class Meta:
        ordering = ["written_at"]
        constraints = [
            models.CheckConstraint(condition=Q(round__in=(1, 2)), name="note_round_1_or_2")
        ]

    def __str__(self) -> str:
        return f"Note by {self.author}"
