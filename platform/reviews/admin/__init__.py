"""Openings, candidates, invitations and attempts in the admin: what came of them, and who may know."""

from __future__ import annotations

from reviews.admin.attempts import AttemptAdmin
from reviews.admin.candidates import CandidateAdmin
from reviews.admin.invitations import InvitationAdmin
from reviews.admin.openings import OpeningAdmin
from reviews.admin.seen_by import SightingAdmin

__all__ = ["AttemptAdmin", "CandidateAdmin", "InvitationAdmin", "OpeningAdmin", "SightingAdmin"]
