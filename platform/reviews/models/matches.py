"""A person's word against how the machine read a statement: kept beside it, never in its place."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from assessments.models import GradingRun


class MatchCorrection(models.Model):
    """What a person holds one statement of an answer to say of one cause or herring. Append-only.

    The newest row of a (statement, subject) counts; `withdrawn` lets the machine's reading hold
    again. `measures` and `score` are what the grader makes of the answer with every correction in
    force up to this row, so the newest row of a grading holds what counts; the grading's report
    stays as it is.
    """

    class Verdict(models.TextChoices):
        STATES = "states", "names it as a cause"
        DISMISSES = "dismisses", "says that it is harmless"
        NONE = "none", "does not speak of it"
        WITHDRAWN = "withdrawn", "as the machine read it"

    grading = models.ForeignKey(GradingRun, models.PROTECT, related_name="match_corrections")
    statement = models.CharField(max_length=200, help_text="The grader's name of it.")
    quote = models.TextField(blank=True, help_text="What it says.")
    subject = models.CharField(max_length=120, help_text="Key of a cause or herring.")
    title = models.CharField(max_length=300, blank=True, help_text="The subject in words.")
    verdict = models.CharField(max_length=10, choices=Verdict)
    reason = models.CharField(max_length=500, blank=True)
    measures = models.JSONField(default=list)
    score = models.FloatField(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        verbose_name = "correction of a match"
        verbose_name_plural = "corrections of matches"
        constraints = [
            models.CheckConstraint(
                condition=~Q(statement="") & ~Q(subject=""), name="correction_says_of_what"
            )
        ]

    def __str__(self) -> str:
        return f"{self.statement} of {self.grading}"
