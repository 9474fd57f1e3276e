"""Scores of interviews that no question set led: given by whoever held them, beside the work samples."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from hiring.models import Candidate, Opening
from hiring.oversight import openings_overseen_by, sees_every_opening
from library.models import HIGHEST, LOWEST
from reviews.models.interviews import InterviewSession, owes_a_first_card


class InterviewScoreQuerySet(models.QuerySet["InterviewScore"]):
    def current(self) -> InterviewScoreQuerySet:
        """Without those that the same person replaced by a later row about the same thing."""
        later = InterviewScore.objects.filter(
            opening=OuterRef("opening"),
            candidate=OuterRef("candidate"),
            about=OuterRef("about"),
            given_by=OuterRef("given_by"),
            number__gt=OuterRef("number"),
        )
        return self.filter(~Exists(later))

    def visible_to(self, viewer: User) -> InterviewScoreQuerySet:
        """One's own; others' once one owes neither an interview nor a scorecard of the person."""
        if not viewer.has_perm("reviews.view_interviewscore"):
            return self.none()
        owed = InterviewSession.objects.filter(
            interviewer=viewer,
            candidate=OuterRef("candidate"),
            opening=OuterRef("opening"),
            submitted_at=None,
            supersedes=None,
        )
        others = Q(~Exists(owed) & ~owes_a_first_card(viewer))
        if not sees_every_opening(viewer):
            own = InterviewScore.objects.filter(
                given_by=viewer, candidate=OuterRef("candidate"), opening=OuterRef("opening")
            )
            others &= Q(Exists(own)) | Q(opening__in=openings_overseen_by(viewer))
        return self.filter(Q(given_by=viewer) | others)


class InterviewScore(models.Model):
    """One person's level for an interview about one thing, with reasons. Append-only: the newest counts.

    `id` is chosen by the page that asks, so that sending its form twice gives one score; `number`
    is the order in which one person gave several about the same thing.
    """

    class About(models.TextChoices):
        EXPERIENCE = "experience", "Experience"
        TEAM = "team", "Work in a team"
        CULTURE = "culture", "What the organisation values"
        OTHER = "other", "Something else"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="interview_scores")
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="interview_scores")
    about = models.CharField(max_length=10, choices=About)
    score = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(LOWEST), MaxValueValidator(HIGHEST)]
    )
    reasons = models.TextField()
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    given_at = models.DateTimeField()
    number = models.PositiveIntegerField(default=1)

    objects = InterviewScoreQuerySet.as_manager()

    class Meta:
        ordering = ["given_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["opening", "candidate", "about", "given_by", "number"],
                name="interview_score_number_once",
            ),
            models.CheckConstraint(
                condition=Q(score__gte=LOWEST, score__lte=HIGHEST),
                name="interview_score_in_range",
            ),
            models.CheckConstraint(condition=~Q(reasons=""), name="interview_score_has_reasons"),
        ]

    def __str__(self) -> str:
        return f"{self.get_about_display()}: {self.score}"
