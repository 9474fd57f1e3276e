"""What was decided about a candidate, by whom and why."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from hiring.models import Candidate, Opening


class Decision(models.Model):
    """A decision about a candidate, with reasons, by a named person. Later ones do not erase it.

    The key is chosen by the page that asks, so that sending its form twice decides once.
    """

    class Outcome(models.TextChoices):
        HIRE = "hire", "Make an offer"
        ADVANCE = "advance", "Go on to the next stage"
        HOLD = "hold", "Hold"
        DECLINE = "decline", "Decline"

    FINAL = (Outcome.HIRE, Outcome.ADVANCE, Outcome.DECLINE)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="decisions")
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="decisions")
    outcome = models.CharField(max_length=10, choices=Outcome)
    reasons = models.TextField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    told_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the candidate was told of it, or somebody noted that they know.",
    )

    class Meta:
        ordering = ["-decided_at"]
        constraints = [
            models.CheckConstraint(condition=~Q(reasons=""), name="decision_has_reasons")
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()} ({self.decided_at:%Y-%m-%d})"
