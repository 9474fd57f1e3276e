"""What every template may say about the organisation that runs this site."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def organisation(request: HttpRequest) -> dict[str, str | bool]:
    return {
        "organisation": settings.ORGANISATION,
        "contact_email": settings.CONTACT_EMAIL,
        "asks_about_you": settings.SELF_DESCRIPTION != "off",
    }
