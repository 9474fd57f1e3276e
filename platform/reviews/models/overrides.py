"""A person's word against a machine's measure: kept beside it, never in its place."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from assessments.models import GradingRun


class MeasureOverride(models.Model):
    """What a person holds a measure's score to be, and why. Append-only; the newest counts.

    The grading's report stays as it is. `score` is 0 to 1 as a measure's, or None where an
    earlier override is taken back.
    """

    grading = models.ForeignKey(GradingRun, models.PROTECT, related_name="overrides")
    measure = models.CharField(max_length=80)
    machine_score = models.FloatField(null=True, help_text="The report's, when this was written.")
    score = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="override_has_a_reason"),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__gte=0, score__lte=1), name="override_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.measure} of {self.grading}"
