"""How every verb refuses, whoever asks."""

from __future__ import annotations


class NotPossible(Exception):
    """What was asked cannot be done now; the text says why and what to do."""
