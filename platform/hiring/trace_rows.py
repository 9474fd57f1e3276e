"""What stays on record about candidates: who of the staff looked at them, and that their data went.

Names no other model of this part by import: hiring.models imports this module.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Erasure(models.Model):
    """The tombstone of a candidate whose data went: numbers and times, and no word of theirs."""

    class Mode(models.TextChoices):
        ERASE = "erase", "Erase everything"
        PSEUDONYMISE = "pseudonymise", "Forget who it was, keep work and scores"

    candidate_number = models.PositiveBigIntegerField(db_index=True)
    mode = models.CharField(max_length=12, choices=Mode)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )  # null: the schedule
    counts = models.JSONField(help_text="How many rows of each kind went or lost the name.")
    known_since = models.DateTimeField()
    erased_at = models.DateTimeField()

    class Meta:
        ordering = ["-erased_at", "-pk"]

    def __str__(self) -> str:
        return f"Candidate {self.candidate_number}, {self.get_mode_display().lower()}"


class Sighting(models.Model):
    """Somebody of the staff opened a page about a candidate. Append-only."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    candidate = models.ForeignKey("hiring.Candidate", models.CASCADE, related_name="sightings")
    page = models.CharField(max_length=60)
    named = models.BooleanField(
        null=True, help_text="Whether the page showed the name; empty: not noted."
    )
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["candidate", "by", "page", "at"], name="sighting_again")]

    def __str__(self) -> str:
        return f"{self.by} opened {self.page} at {self.at:%Y-%m-%d %H:%M}"
