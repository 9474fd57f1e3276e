"""Pages that were set as PDF files, and links by which somebody without an account reads a report."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from assessments.jobs import Job, JobQuerySet
from assessments.models import Attempt
from hiring.models import Candidate


class PdfFile(Job):
    """One page as a PDF file, named by the digest of what it says; itself the job of setting it.

    A page that says something else has another digest, so that no file is ever stale. It is handed out by
    the page alone, to whoever may read that.
    """

    GAVE_UP = (
        "No PDF file could be made of this page in several tries. Print the page from the browser."
    )

    digest = models.CharField(max_length=64, unique=True)
    candidate = models.ForeignKey(Candidate, models.CASCADE, null=True, related_name="pdf_files")
    html = models.TextField(blank=True, help_text="What is to be set; empty once it is.")
    base = models.CharField(max_length=500)
    file = models.BinaryField(null=True)
    asked_at = models.DateTimeField(db_index=True)

    objects: ClassVar[Any] = JobQuerySet.as_manager()

    class Meta:
        db_table = "reviews_paper"  # its first name: a server of the release before asks for it
        verbose_name = "PDF file"
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"PDF file {self.digest[:12]}"


class ReportLinkQuerySet(models.QuerySet["ReportLink"]):
    def live(self, now: datetime) -> ReportLinkQuerySet:
        return self.filter(revoked_at=None, expires_at__gt=now)


class ReportLink(models.Model):
    """A link to one report, as its maker may read it, for somebody without an account; it ends by itself."""

    attempt = models.ForeignKey(Attempt, models.CASCADE, related_name="report_links")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    reader = models.CharField("for whom", max_length=120)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = ReportLinkQuerySet.as_manager()

    class Meta:
        verbose_name = "link to a report"
        verbose_name_plural = "links to reports"
        ordering = ["expires_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("made_at")), name="report_link_ends_after_it_begins"
            )
        ]

    def __str__(self) -> str:
        return f"Link to a report for {self.reader}"


class ReportLinkOpening(models.Model):
    """A report was opened by its link. Append-only."""

    link = models.ForeignKey(ReportLink, models.CASCADE, related_name="openings")
    at = models.DateTimeField()
    as_file = models.BooleanField(help_text="The PDF file rather than the page.")

    class Meta:
        verbose_name = "opening of a shared report"
        verbose_name_plural = "openings of shared reports"
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.link} at {self.at:%Y-%m-%d %H:%M}"
