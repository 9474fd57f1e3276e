"""A live interview with one candidate: its time, what was shown to them, and what was written on its pads."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from hiring.models import Invitation

SHORTEST, LONGEST = 5, 240
"""Minutes that a talk may be planned for."""


class Sitting(models.Model):
    """One talk with one candidate, whoever holds it. `moves` counts how often its time was set anew."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    invitation = models.ForeignKey(Invitation, models.PROTECT, related_name="sittings")
    begins_at = models.DateTimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=64, help_text="The zone that the time was planned in.")
    minutes = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(SHORTEST), MaxValueValidator(LONGEST)]
    )
    moves = models.PositiveSmallIntegerField(default=0)
    planned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    planned_at = models.DateTimeField()
    called_off_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["begins_at", "planned_at", "pk"]

    def __str__(self) -> str:
        return f"Talk with {self.invitation.candidate.pseudonym}"


class Showing(models.Model):
    """The candidate's page was opened with a question, or closed. Append-only: the newest row counts."""

    sitting = models.ForeignKey(Sitting, models.CASCADE, related_name="showings")
    is_open = models.BooleanField()
    text = models.TextField(blank=True, help_text="The question, word for word.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{'shown' if self.is_open else 'closed'} at {self.at:%Y-%m-%d %H:%M}"


class PadSave(models.Model):
    """A pad's whole text after one save. `client` names the browser's page, `key` what it sent.

    Saves of one page within a minute are thinned to the last; what others wrote between them stays in it.
    """

    class Pad(models.TextChoices):
        NOTES = "notes", "Notes of the interviewers"
        SHARED = "shared", "Pad shared with the candidate"

    sitting = models.ForeignKey(Sitting, models.CASCADE, related_name="saves")
    pad = models.CharField(max_length=10, choices=Pad)
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="Nobody of the staff: the candidate.",
    )
    client = models.CharField(max_length=36)
    key = models.CharField(max_length=36)
    at = models.DateTimeField()

    class Meta:
        verbose_name = "text of a pad"
        verbose_name_plural = "texts of pads"
        ordering = ["pad", "number"]
        constraints = [
            models.UniqueConstraint(fields=["sitting", "pad", "number"], name="pad_number_once"),
            models.UniqueConstraint(fields=["sitting", "pad", "key"], name="pad_save_once"),
        ]

    def __str__(self) -> str:
        return f"{self.pad} {self.number}"
