"""Which hosts are at work: each part of each host says now and then that it is there."""

from __future__ import annotations

from django.db import models


class Presence(models.Model):
    """A part of the platform on one host, as it last reported. `at` is the database's clock."""

    host = models.CharField(max_length=100)
    component = models.CharField(max_length=20)
    at = models.DateTimeField()
    ahead_ms = models.IntegerField(
        default=0, db_default=0, help_text="How far the host's clock is before the database's."
    )
    version = models.CharField(max_length=40, blank=True, default="", db_default="")
    places = models.PositiveIntegerField(
        default=0, db_default=0, help_text="What it can hold at once, where it has places."
    )

    class Meta:
        ordering = ["host", "component"]
        constraints = [
            models.UniqueConstraint(fields=["host", "component"], name="one_presence_of_a_part")
        ]

    def __str__(self) -> str:
        return f"{self.component} on {self.host}"
