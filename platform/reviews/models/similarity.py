"""What answers to one exercise have in common, as a worker found it: facts, with the algorithm's version."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from assessments.jobs import Job, JobQuerySet
from assessments.models import Submission


class Comparison(Job):
    """One answer compared with the earlier ones by one version of the algorithm; itself the job."""

    GAVE_UP = "The answer could not be compared with others after several tries."

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="comparisons")
    version = models.CharField(max_length=20)

    objects: ClassVar[Any] = JobQuerySet.as_manager()

    class Meta:
        verbose_name = "comparison of an answer with others"
        verbose_name_plural = "comparisons of answers with others"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "version"], name="compared_once_a_version"
            )
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                name="comparison_leases",
                condition=models.Q(finished_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"Comparison of {self.submission}"


class Fingerprint(models.Model):
    """One of an answer's fingerprints, mixed with the exercise and the version: equal only where these are."""

    comparison = models.ForeignKey(
        Comparison, models.CASCADE, related_name="fingerprints", db_index=True
    )
    value = models.BigIntegerField()

    class Meta:
        verbose_name = "fingerprint of an answer"
        verbose_name_plural = "fingerprints of answers"
        constraints = [
            models.UniqueConstraint(fields=["value", "comparison"], name="fingerprint_once")
        ]

    def __str__(self) -> str:
        return f"{self.value:x}"


class Likeness(models.Model):
    """Passages that two answers share. Lines only: the words stand in the answers and go with them."""

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="likenesses")
    other = models.ForeignKey(Submission, models.CASCADE, related_name="likenesses")
    passages = models.JSONField(
        help_text='Largest first: {"kind", "size", "mine": [key, first, last], "theirs": the same}.'
    )
    code_share = models.FloatField(help_text="Of this answer's own code, 0 to 1.")
    prose_share = models.FloatField()
    other_code_share = models.FloatField()
    other_prose_share = models.FloatField()
    size = models.PositiveIntegerField(help_text="Symbols shared, of code and prose.")

    class Meta:
        verbose_name = "finding of shared passages"
        verbose_name_plural = "findings of shared passages"
        ordering = ["-size", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "other"], name="likeness_once")
        ]

    def __str__(self) -> str:
        return f"{self.comparison.submission} and {self.other}"
