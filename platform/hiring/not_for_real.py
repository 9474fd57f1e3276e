"""What marks openings and candidates that nobody is assessed by: staff's trials, and practice."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class NotForReal(models.Model):
    """Carries whose trial or which invitation's practice a row belongs to; neither: it is for real."""

    trial_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The member of staff who tries an exercise out; empty: it is for real.",
    )
    practice_of = models.ForeignKey(
        "hiring.Invitation",
        models.CASCADE,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text="The invitation whose practice room it belongs to; empty: it is none.",
    )

    class Meta:
        abstract = True
