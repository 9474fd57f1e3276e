"""Openings, candidates and attempts in the admin: the pages that show what came of an invitation."""

from __future__ import annotations

from reviews.admin.attempts import AttemptAdmin
from reviews.admin.candidates import CandidateAdmin
from reviews.admin.openings import OpeningAdmin

__all__ = ["AttemptAdmin", "CandidateAdmin", "OpeningAdmin"]
