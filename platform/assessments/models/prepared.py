"""The variant of one exercise for one candidate, as a job: drawn with the link, built by a worker."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import F, Q

from assessments.jobs import Job, JobQuerySet
from hiring.models import Exercise, Invitation
from library.models import PackVersion


class PreparedVariantQuerySet(JobQuerySet):
    def in_turn(self, now: datetime) -> Self:
        """What waits to be built: first whose link was opened, for somebody may be waiting there."""
        waiting = self.startable(now).filter(invitation__revoked_at=None)
        opened = F("invitation__first_opened_at").asc(nulls_last=True)
        return waiting.order_by(opened, "created_at", "pk")


class PreparedVariant(Job):
    """What one candidate's attempt at one exercise begins with, and how far its materials are.

    The seed is drawn once and stays. Pack version, level and company follow what the exercise and the
    opening say, and the row is then built anew, until something of it was read ahead or started.
    `finished_at` says that a worker has built it on its host; another host may have to build it again.
    """

    GAVE_UP = "The materials could not be built after several tries."

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="variants")
    exercise = models.ForeignKey(Exercise, models.CASCADE, related_name="variants")
    pack_version = models.ForeignKey(PackVersion, models.PROTECT)
    level = models.CharField(max_length=10)
    seed = models.PositiveBigIntegerField()
    company = models.TextField(blank=True)

    objects: ClassVar[Any] = PreparedVariantQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["invitation", "exercise"], name="one_variant_per_exercise"
            )
        ]
        indexes = [
            models.Index(
                fields=["lease_until"], name="variant_leases", condition=Q(finished_at__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.exercise} of {self.invitation.candidate.pseudonym}"

    @property
    def of(self) -> tuple[str, str, int, str, str]:
        """The arguments of `variants.folder_of`."""
        version = self.pack_version
        return (version.name, self.level, self.seed, version.digest, self.company)
