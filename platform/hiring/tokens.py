"""The secret in a link, and what is stored of it."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.urls import reverse

TOKEN_BYTES = 24  # 192 bits


def digest(token: str) -> str:
    """What is stored of a token. It is random, so a fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def link_to(token: str) -> str:
    return settings.SITE_URL + reverse("link", args=[token])
