"""Invitations in the admin. Openings and candidates show attempts too: see reviews.admin."""

from __future__ import annotations

from hiring.admin.invitations import InvitationAdmin

__all__ = ["InvitationAdmin"]
