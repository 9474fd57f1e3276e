"""What people made of it: assignments, evaluations and ratings, feedback, notes, decisions."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from assessments.models import Attempt
from hiring.models import Candidate, Opening
from library.models import HIGHEST, LOWEST, Rubric


class Assignment(models.Model):
    """Who is to score an attempt. Access to an attempt's answers follows from it."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="assignments")
    evaluator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="assignments"
    )
    assigned_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", editable=False
    )
    assigned_at = models.DateTimeField(editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "evaluator"], name="assigned_once")
        ]

    def __str__(self) -> str:
        return f"{self.evaluator} scores {self.attempt}"


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def current(self) -> EvaluationQuerySet:
        """Without those that a later correction replaced."""
        return self.filter(corrections=None)

    def submitted(self) -> EvaluationQuerySet:
        return self.exclude(submitted_at=None)

    def visible_to(self, viewer: User) -> EvaluationQuerySet:
        """One's own; others' submitted ones only where one owes none, or one's own is in."""
        if not viewer.has_perm("reviews.view_evaluation"):
            return self.none()
        own_open = Evaluation.objects.filter(
            attempt=OuterRef("attempt"), round=OuterRef("round"), evaluator=viewer
        )
        owes = Assignment.objects.filter(attempt=OuterRef("attempt"), evaluator=viewer)
        has_submitted = Exists(own_open.exclude(submitted_at=None))
        others = Q(submitted_at__isnull=False) & (has_submitted | ~Exists(owes))
        if not viewer.has_perm("hiring.view_candidate"):  # sees assigned attempts only
            others &= Q(Exists(owes))
        return self.filter(Q(evaluator=viewer) | others)


class Evaluation(models.Model):
    """One interviewer's ratings of one submission. Frozen when submitted; a correction is a new row."""

    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="evaluations")
    round = models.PositiveSmallIntegerField()
    evaluator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="evaluations"
    )
    rubric = models.ForeignKey(Rubric, models.PROTECT)
    snapshot = models.JSONField(help_text="The rubric as it was when scoring began.")
    created_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    supersedes = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="corrections"
    )
    correction_reason = models.CharField(max_length=300, blank=True)

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        verbose_name = "scorecard"
        ordering = ["attempt", "round", "pk"]
        indexes = [
            models.Index(fields=["attempt", "round", "evaluator"], name="evaluation_of_whom")
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "round", "evaluator"],
                condition=Q(supersedes=None),
                name="one_evaluation_per_evaluator",
            ),
            models.UniqueConstraint(fields=["supersedes"], name="corrected_once"),
            models.CheckConstraint(condition=Q(round__in=(1, 2)), name="evaluation_round_1_or_2"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(correction_reason=""),
                name="correction_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.evaluator} on {self.attempt}, round {self.round}"

    def criteria(self) -> list[dict[str, Any]]:
        """The criteria of this round, as copied when scoring began."""
        return [item for item in self.snapshot["criteria"] if item["round"] <= self.round]

    def titled_ratings(self) -> list[tuple[str, Rating]]:
        """(criterion's title, rating) in the rubric's order; what is not rated is left out."""
        ratings = {rating.criterion_key: rating for rating in self.ratings.all()}
        return [
            (item["title"], ratings[item["key"]])
            for item in self.criteria()
            if item["key"] in ratings
        ]


class Rating(models.Model):
    """A person's level for one criterion, with the words it stood for at the time."""

    evaluation = models.ForeignKey(Evaluation, models.CASCADE, related_name="ratings")
    criterion_key = models.CharField(max_length=40)
    level = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(LOWEST), MaxValueValidator(HIGHEST)],
    )
    level_text = models.TextField(blank=True)
    note = models.TextField(blank=True)
    rated_at = models.DateTimeField()

    class Meta:
        ordering = ["evaluation", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "criterion_key"], name="rated_once"),
            models.CheckConstraint(
                condition=Q(level=None) | Q(level__gte=LOWEST, level__lte=HIGHEST),
                name="rating_in_range",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_key}: {self.level}"


class Feedback(models.Model):
    """Exactly one strength and one improvement for a candidate; releasing it opens the revision."""

    attempt = models.OneToOneField(Attempt, models.PROTECT, related_name="feedback")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    strength = models.TextField(blank=True)
    improvement = models.TextField(blank=True)
    focus = models.CharField(max_length=200, blank=True)
    written_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"Feedback on {self.attempt}"


class Note(models.Model):
    """A remark for staff only."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["written_at"]

    def __str__(self) -> str:
        return f"Note by {self.author}"


class Decision(models.Model):
    """A decision about a candidate, with reasons, by a named person. Later ones do not erase it."""

    class Outcome(models.TextChoices):
        HIRE = "hire", "Make an offer"
        ADVANCE = "advance", "Go on to the next stage"
        HOLD = "hold", "Hold"
        DECLINE = "decline", "Decline"

    opening = models.ForeignKey(Opening, models.PROTECT, related_name="decisions")
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="decisions")
    outcome = models.CharField(max_length=10, choices=Outcome)
    reasons = models.TextField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()

    class Meta:
        ordering = ["-decided_at"]
        constraints = [
            models.CheckConstraint(condition=~Q(reasons=""), name="decision_has_reasons")
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} ({self.decided_at:%Y-%m-%d})"
