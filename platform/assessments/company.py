"""Which cluster an attempt is about: the company profile that it began with."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from assessments.models import Attempt
from hiring.models import Opening
from scenarios.company.profile import DEFAULT, Profile, read_profile
from scenarios.packs import practice_company


def of_attempt(attempt: Attempt) -> Profile:
    """The profile as it was at the start; the default one where the opening had none."""
    return _read(attempt.company) if attempt.company else DEFAULT


def text_of(opening: Opening) -> str:
    """The TOML that an attempt of the opening begins with; empty for the default cluster."""
    if opening.practice_of_id:
        return practice_company()
    return opening.company.toml if opening.company else ""


def of_opening(opening: Opening) -> Profile:
    """The profile that an attempt would begin with now."""
    text = text_of(opening)
    return _read(text) if text else DEFAULT


def mark(text: str) -> str:
    """A short digest that tells one profile's text from another; empty for the default cluster."""
    return sha256(text.encode()).hexdigest()[:12] if text else ""


@lru_cache(maxsize=64)
def _read(text: str) -> Profile:
    return read_profile(text)
