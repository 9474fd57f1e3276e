"""Talks with the candidate about the work: explain and defend, and a revision given by speech."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q, Value

from accounts.models import User
from assessments.models import Attempt, Submission
from hiring.models import Candidate
from library.models import HIGHEST, LOWEST, Question
from reviews.models.scoring import others_open_to


class DefenceQuerySet(models.QuerySet["Defence"]):
    def current(self) -> DefenceQuerySet:
        """Without those that a later correction replaced."""
        return self.filter(corrections=None)

    def visible_to(self, viewer: User) -> DefenceQuerySet:
        """One's own; others' once one owes no scores of the first answer."""
        if not viewer.has_perm("reviews.view_defence"):
            return self.none()
        rows = self.annotate(about_round=Value(1))
        return rows.filter(
            Q(by=viewer) | others_open_to(viewer, attempt="attempt", round="about_round")
        )


class Defence(models.Model):
    """The candidate explained and defended the first answer, or why there was no such talk.

    Append-only: a correction is a new row with a reason.
    """

    attempt = models.ForeignKey(Attempt, models.PROTECT, related_name="defences")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    notes = models.TextField(blank=True)
    level = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(LOWEST), MaxValueValidator(HIGHEST)],
    )
    level_text = models.TextField(blank=True)
    skipped_because = models.CharField(max_length=300, blank=True)
    supersedes = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="corrections"
    )
    correction_reason = models.CharField(max_length=300, blank=True)

    objects = DefenceQuerySet.as_manager()

    class Meta:
        verbose_name = "explain-and-defend step"
        ordering = ["recorded_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt", "by"],
                condition=Q(supersedes=None),
                name="one_defence_per_person",
            ),
            models.UniqueConstraint(fields=["supersedes"], name="defence_corrected_once"),
            models.CheckConstraint(
                condition=Q(supersedes=None) | ~Q(correction_reason=""),
                name="defence_correction_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(
                    level__isnull=False,
                    level__gte=LOWEST,
                    level__lte=HIGHEST,
                    skipped_because="",
                )
                | (Q(level=None) & ~Q(skipped_because="")),
                name="defence_is_rated_or_skipped",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} on {self.attempt}"


class DefenceQuestion(models.Model):
    """A question that was put, in the words of that day, and what was answered."""

    defence = models.ForeignKey(Defence, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    question = models.ForeignKey(
        Question,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="put",
        help_text="From the bank.",
    )
    text = models.TextField()
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.text[:80]


class SpokenNotes(models.Model):
    """Who wrote down a revision that was given by speech; the notes are the submission's own text."""

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="spoken")
    typed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    typed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "spoken notes"

    def __str__(self) -> str:
        return f"Notes of {self.submission}"


class Acquaintance(models.Model):
    """Somebody who scores said that they have met or know the candidate. Append-only."""

    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="acquaintances")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    how = models.CharField(max_length=300)
    declared_at = models.DateTimeField()

    class Meta:
        ordering = ["declared_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(how=""), name="acquaintance_says_how"),
        ]

    def __str__(self) -> str:
        return f"{self.person} knows {self.candidate.pseudonym}"
