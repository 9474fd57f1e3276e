"""What a candidate says after handing in: how it was for them, and what shall become of their data."""

from __future__ import annotations

from django.db import models

from assessments.models.attempts import Attempt
from hiring.models import Invitation


class Impression(models.Model):
    """How an exercise was for whoever did it. No part of any score, and shown without saying whose it is."""

    class How(models.IntegerChoices):
        VERY_GOOD = 5, "Very good"
        GOOD = 4, "Good"
        SO_SO = 3, "So-so"
        BAD = 2, "Bad"
        VERY_BAD = 1, "Very bad"

    attempt = models.OneToOneField(Attempt, models.CASCADE, related_name="impression")
    how = models.PositiveSmallIntegerField(choices=How)
    text = models.TextField(blank=True)
    given_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(how__range=(1, 5)), name="impression_1_to_5")
        ]

    def __str__(self) -> str:
        return self.get_how_display()


class DataRequest(models.Model):
    """A candidate asks for everything that is kept about them, or for its end. One open request of a kind."""

    class Wish(models.TextChoices):
        COPY = "copy", "A copy of everything"
        ERASURE = "erasure", "Erasure of everything"

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="data_requests")
    wish = models.CharField(max_length=10, choices=Wish)
    asked_at = models.DateTimeField()
    met_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["asked_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "wish"],
                condition=models.Q(met_at=None),
                name="one_open_request_of_a_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_wish_display()}, asked {self.asked_at:%Y-%m-%d}"
