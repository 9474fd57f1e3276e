"""A short round of questions about one's own answer: found by a worker, answered on a clock of its own."""

from __future__ import annotations

from datetime import timedelta

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from assessments.jobs import Job
from assessments.models.attempts import Submission


class OwnWorkRound(Job):
    """The questions about one first answer. As a job it is the search for them; `report` holds what was found.

    `deadline_at` is set once, at the start; what our own failures took is added where it is read.
    """

    GAVE_UP = "The platform could not find questions about this answer after several tries."
    PATIENCE = timedelta(days=2)

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="own_work")
    is_live = models.BooleanField(help_text="Belongs to the live interview.")
    minutes = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(2), MaxValueValidator(60)]
    )
    multiplier = models.DecimalField(
        max_digits=3,
        decimal_places=2,
        default=1,
        help_text="The person's factor of time when it began.",
    )
    started_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(null=True, blank=True)
    handed_in_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "questions about the own answer"
        verbose_name_plural = "questions about own answers"
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(deadline_at=None) | Q(deadline_at__gt=F("started_at")),
                name="own_work_ends_after_it_begins",
            )
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                name="own_work_leases",
                condition=Q(finished_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"Questions about {self.submission}"


class OwnWorkSave(models.Model):
    """What a page sent: the entries that changed, `{"1": {"given": …, "why": …}}`. Append-only."""

    round = models.ForeignKey(OwnWorkRound, models.CASCADE, related_name="saves")
    client = models.UUIDField()
    seq = models.PositiveBigIntegerField()
    answers = models.JSONField()
    received_at = models.DateTimeField()
    late = models.BooleanField(default=False, help_text="Came after the end: kept, never counted.")

    class Meta:
        verbose_name = "answers about the own answer"
        verbose_name_plural = "answers about own answers"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["round", "client", "seq"], name="own_work_save_once")
        ]

    def __str__(self) -> str:
        return f"Answers at {self.received_at:%Y-%m-%d %H:%M:%S}"
