"""What candidates said of themselves, voluntarily and apart from everything that is scored."""

from __future__ import annotations

from django.db import models

from hiring.models import Invitation


class SelfDescription(models.Model):
    """A candidate's own words for the adverse-impact report: {question key: option key}.

    No relation leads here from a candidate, an invitation or an attempt (related_name "+"), so that
    no page about scores can reach it; erasing a candidate finds it all the same.
    """

    invitation = models.OneToOneField(Invitation, models.CASCADE, related_name="+")
    answers = models.JSONField(default=dict)
    given_at = models.DateTimeField()

    class Meta:
        verbose_name = "voluntary self-description"

    def __str__(self) -> str:
        return "A voluntary self-description"
