"""What candidates ask the staff, and what the staff tell one of them or everybody at an exercise."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q

from assessments.models.attempts import Attempt
from hiring.models import Exercise, Opening

MOST_MINUTES = 120
"""More at once is an extension of single attempts, which says why of each."""


class Enquiry(models.Model):
    """One question of a candidate. `id` is chosen by the page that sends it: sent twice, it is one."""

    class About(models.TextChoices):
        WORK = "work", "The exercise, while the clock runs"
        FEEDBACK = "feedback", "The feedback, afterwards"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="enquiries")
    about = models.CharField(max_length=10, choices=About, default=About.WORK)
    text = models.TextField()
    asked_at = models.DateTimeField()

    class Meta:
        verbose_name = "question of a candidate"
        verbose_name_plural = "questions of candidates"
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["attempt"], condition=Q(about="feedback"), name="one_query_about_feedback"
            )
        ]

    def __str__(self) -> str:
        return f"Question by {self.attempt.invitation.candidate.pseudonym}"


class AnnouncementQuerySet(models.QuerySet["Announcement"]):
    def to_attempt(self, attempt: Attempt) -> AnnouncementQuerySet:
        """What the candidate of the attempt was told, oldest first, also before they began."""
        at = Q(exercise=None) | Q(exercise=attempt.exercise_id)
        everybody = Q(to=None, opening=attempt.exercise.opening_id) & at
        return self.filter(Q(to=attempt.pk) | everybody)

    def newest_to(self, attempt: Attempt) -> int:
        """Number of what they were told last, 0 where they were told nothing; what an open page asks."""
        return self.to_attempt(attempt).order_by("-pk").values_list("pk", flat=True).first() or 0


class Announcement(models.Model):
    """What staff told: `to` one attempt alone, or with none there everybody at the exercise.

    Without an exercise it is for all of the opening's. `minutes` were added to every clock that ran.
    What was told to one goes with that candidate's data; what all were told stays.
    """

    opening = models.ForeignKey(Opening, models.CASCADE, related_name="announcements")
    exercise = models.ForeignKey(
        Exercise, models.CASCADE, null=True, blank=True, related_name="announcements"
    )
    to = models.ForeignKey(Attempt, models.CASCADE, null=True, blank=True, related_name="told")
    enquiry = models.ForeignKey(
        Enquiry, models.SET_NULL, null=True, blank=True, related_name="answers"
    )
    text = models.TextField()
    minutes = models.PositiveSmallIntegerField(
        default=0, validators=[MaxValueValidator(MOST_MINUTES)]
    )
    is_correction = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    objects = AnnouncementQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["opening", "exercise"], name="announcements_of_exercise")]

    def __str__(self) -> str:
        whom = "one candidate" if self.to_id else "everybody"
        return f"Told {whom} at {self.at:%Y-%m-%d %H:%M}"
