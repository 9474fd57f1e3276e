"""The languages in which candidates' pages and messages are said, and whose choice counts.

A candidate chooses first, then the opening; where neither did, the browser's wish decides on pages, and messages
are in English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from hiring.models import Invitation

ENGLISH, GERMAN = "en-gb", "de"
COOKIE = "headnode_language"
CHOICES = [(ENGLISH, "English"), (GERMAN, "Deutsch")]
"""Each in its own words, as whoever reads it looks for it."""


def language_field(**options: str | bool) -> models.CharField[str, str]:
    """One of the languages, or nothing where nobody chose."""
    return models.CharField(  # type: ignore[return-value]
        max_length=8, blank=True, default="", db_default="", choices=CHOICES, **options
    )


def chosen(invitation: Invitation) -> str:
    """What the candidate chose, else the opening; empty where neither did."""
    return invitation.language or invitation.opening.language


def of_messages(invitation: Invitation | None) -> str:
    """The language of what is sent: of nobody's choice, English."""
    return (chosen(invitation) if invitation else "") or settings.LANGUAGE_CODE


def learn(invitation: Invitation, code: str) -> None:
    """Keep for messages what the pages are said in, where nobody chose."""
    if is_known(code) and not chosen(invitation):
        type(invitation).objects.filter(pk=invitation.pk).update(language=code)


def is_known(code: str) -> bool:
    return code in dict(CHOICES)
