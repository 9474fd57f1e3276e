"""One exercise that is shown to one candidate before they start, and when they first looked at it."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from hiring.models import Exercise, Invitation


class AdvanceRelease(models.Model):
    """From when a candidate may read an exercise's brief and materials before pressing Start.

    What they are shown is their PreparedVariant; the first look fixes it, so that what was read ahead is
    what is then worked on.
    """

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="advance_releases")
    exercise = models.ForeignKey(Exercise, models.PROTECT, related_name="advance_releases")
    opens_at = models.DateTimeField()
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    released_at = models.DateTimeField(help_text="When this was arranged.")
    first_opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["opens_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "exercise"], name="one_release_per_exercise"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.exercise} from {self.opens_at:%Y-%m-%d %H:%M}"
