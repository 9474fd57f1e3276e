"""Who scores what, and what they rated: assignments, evaluations and ratings."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from assessments.models import Attempt, Submission
from hiring.oversight import openings_overseen_by, sees_every_opening
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
    if not viewer.has_perm("reviews.view_decision"):
        return Q(pk__in=[])  # a guest
    if sees_every_opening(viewer):
        return Q(~scores_it | own)
    overseen = Attempt.objects.filter(
        pk=OuterRef(attempt), invitation__opening__in=openings_overseen_by(viewer)
    )
    return Q(scores_it & own) | Q(~scores_it & Exists(overseen))


def _not_corrected() -> Q:
    """Not corrections=None: of such a join PostgreSQL expects one row, and plans seconds for thousands."""
    return ~Q(Exists(Evaluation.objects.filter(supersedes=OuterRef("pk"))))


class EvaluationQuerySet(models.QuerySet["Evaluation"]):
    def current(self) -> EvaluationQuerySet:
        """About the answer that counts, without those that a later correction replaced."""
        return self.filter(_not_corrected(), submission__superseded_at=None)

    def replaced(self) -> EvaluationQuerySet:
        """About an answer that a reopened attempt replaced: kept on record, counting for nothing."""
        return self.filter(_not_corrected()).exclude(submission__superseded_at=None)

    def of(self, attempt: Attempt, round: int | None = None) -> EvaluationQuerySet:
        rows = self.filter(submission__attempt=attempt)
        return rows if round is None else rows.filter(submission__round=round)

    def submitted(self) -> EvaluationQuerySet:
        return self.exclude(submitted_at=None)

    def known_to(self, viewer: User) -> EvaluationQuerySet:
        """Of which scorecards somebody may know that they differ; not what is in them.

        Those who read them, and those who assign evaluators and score nothing of it themselves.
        """
        if not viewer.has_perm("reviews.add_assignment"):
            return self.visible_to(viewer)
        others = others_open_to(viewer, attempt="submission__attempt", round="submission__round")
        return self.filter(Q(evaluator=viewer) | others & Q(submitted_at__isnull=False))

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
        permissions = [("study_evaluation", "Can see how far evaluators agree")]
        indexes = [
            # whose cards are in, without reading the rubrics' copies that make the rows long
            models.Index(
                fields=["submission", "evaluator", "submitted_at", "supersedes"],
                name="cards_of_an_answer",
            )
        ]
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
