"""The languages that candidates can read the site in, and the field that keeps a choice of one."""

from __future__ import annotations

from django.db import models

ENGLISH, GERMAN = "en-gb", "de"
CHOICES = [(ENGLISH, "English"), (GERMAN, "Deutsch")]
"""Each in its own words, as whoever reads it looks for it."""
COOKIE = "headnode_language"


def language_field(help_text: str = "", *, editable: bool = True) -> models.CharField[str, str]:
    """One of the languages, or nothing where nobody chose."""
    return models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        choices=CHOICES,
        help_text=help_text,
        editable=editable,
    )
