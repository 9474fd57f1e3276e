"""One exercise that is shown to one candidate before they start, and what of it was fixed by looking."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from hiring.models import Exercise, Invitation
from library.models import PackVersion


class AdvanceRelease(models.Model):
    """From when a candidate may read an exercise's brief and materials before pressing Start.

    Seed, company and pack version are those that the first look was given; the attempt begins with the
    same, so that what was read ahead is what is then worked on.
    """

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="advance_releases")
    exercise = models.ForeignKey(Exercise, models.PROTECT, related_name="advance_releases")
    opens_at = models.DateTimeField()
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    released_at = models.DateTimeField(help_text="When this was arranged.")
    first_opened_at = models.DateTimeField(null=True, blank=True)
    seed = models.PositiveBigIntegerField(null=True, blank=True)
    company = models.TextField(blank=True)
    pack_version = models.ForeignKey(PackVersion, models.PROTECT, null=True, blank=True)

    class Meta:
        ordering = ["opens_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "exercise"], name="one_release_per_exercise"
            ),
            models.CheckConstraint(
                condition=Q(
                    first_opened_at__isnull=True, seed__isnull=True, pack_version__isnull=True
                )
                | Q(first_opened_at__isnull=False, seed__isnull=False, pack_version__isnull=False),
                name="release_fixed_by_the_first_look",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.exercise} from {self.opens_at:%Y-%m-%d %H:%M}"
