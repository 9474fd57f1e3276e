"""What people made of it: assignments, evaluations and ratings, feedback, notes, decisions."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q, Value

from accounts.models import User
from assessments.models import Attempt, Submission
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


def own_card_in(viewer: User, *, attempt: str, round: str) -> Exists:
    """Whether the viewer's scorecard of that round's present answer is in.

    `attempt` and `round` name the outer query's fields. A scorecard of an answer that was replaced
    when the attempt was reopened does not count; one that is being corrected does.
    """
    return Exists(
        Evaluation.objects.submitted().filter(
            submission__attempt=OuterRef(attempt),
            submission__round=OuterRef(round),
            submission__superseded_at=None,
            evaluator=viewer,
        )
    )


def others_open_to(viewer: User, *, attempt: str, round: str) -> Q:
    """Which rows of other people the viewer may read: none of a round they still owe scores of."""
    scores_it = Exists(Assignment.objects.filter(attempt=OuterRef(attempt), evaluator=viewer))
    own = own_card_in(viewer, attempt=attempt, round=round)
    if viewer.has_perm("hiring.view_candidate"):
        return Q(~scores_it | own)
    return Q(scores_it & own)  # sees assigned attempts only


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def current(self) -> EvaluationQuerySet:
        """About the answer that counts, without those that a later correction replaced."""
        return self.filter(corrections=None, submission__superseded_at=None)

    def replaced(self) -> EvaluationQuerySet:
        """About an answer that a reopened attempt replaced: kept on record, counting for nothing."""
        return self.filter(corrections=None).exclude(submission__superseded_at=None)

    def of(self, attempt: Attempt, round: int | None = None) -> EvaluationQuerySet:
        rows = self.filter(submission__attempt=attempt)
        return rows if round is None else rows.filter(submission__round=round)

    def submitted(self) -> EvaluationQuerySet:
        return self.exclude(submitted_at=None)

    def visible_to(self, viewer: User) -> EvaluationQuerySet:
        """One's own; others' submitted ones only where one owes none, or one's own is in."""
        if not viewer.has_perm("reviews.view_evaluation"):
            return self.none()
        others = others_open_to(viewer, attempt="submission__attempt", round="submission__round")
        return self.filter(Q(evaluator=viewer) | others & Q(submitted_at__isnull=False))


class Evaluation(models.Model):
    """One interviewer's ratings of one submission. Frozen when submitted; a correction is a new row."""

    submission = models.ForeignKey(Submission, models.PROTECT, related_name="evaluations")
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
        ordering = ["submission__round", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "evaluator"],
                condition=Q(supersedes=None),
                name="one_evaluation_per_evaluator",
            ),
            models.UniqueConstraint(fields=["supersedes"], name="corrected_once"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(correction_reason=""),
                name="correction_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.evaluator} on {self.submission}"

    @property
    def attempt(self) -> Attempt:
        return self.submission.attempt

    @property
    def round(self) -> int:
        return self.submission.round

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


class FeedbackQuerySet(models.QuerySet["Feedback"]):
    def visible_to(self, viewer: User) -> FeedbackQuerySet:
        """One's own words; others' once one owes no scores of the first answer."""
        if not viewer.has_perm("reviews.view_feedback"):
            return self.none()
        rows = self.annotate(about_round=Value(1))
        others = others_open_to(viewer, attempt="attempt", round="about_round")
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
    focus = models.CharField(max_length=200, blank=True)
    written_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)

    objects = FeedbackQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "feedback"

    def __str__(self) -> str:
        return f"Feedback on {self.attempt}"


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


class Decision(models.Model):
    """A decision about a candidate, with reasons, by a named person. Later ones do not erase it.

    The key is chosen by the page that asks, so that sending its form twice decides once.
    """

    class Outcome(models.TextChoices):
        HIRE = "hire", "Make an offer"
        ADVANCE = "advance", "Go on to the next stage"
        HOLD = "hold", "Hold"
        DECLINE = "decline", "Decline"

    FINAL = (Outcome.HIRE, Outcome.ADVANCE, Outcome.DECLINE)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
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
