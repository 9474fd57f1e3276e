"""Secrets that have to be used again: kept encrypted, so that a copy of the database alone opens nothing."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

PURPOSE = b"headnode integrations: "


class Unreadable(Exception):
    """The secret was sealed under another SECRET_KEY; it has to be entered or made anew."""


def _box() -> Fernet:
    key = hashlib.sha256(PURPOSE + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))


def seal(secret: str) -> str:
    """What is stored of the secret; "" stays ""."""
    return _box().encrypt(secret.encode()).decode() if secret else ""


def unseal(stored: str) -> str:
    """The secret again. Raises Unreadable where SECRET_KEY is another one than it was sealed under."""
    if not stored:
        return ""
    try:
        return _box().decrypt(stored.encode()).decode()
    except InvalidToken as error:
        raise Unreadable(
            "SECRET_KEY is not the one under which this secret was kept: enter or make it anew."
        ) from error
