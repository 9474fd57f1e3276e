"""Whose openings somebody oversees: everybody's, those that name them hiring manager, or none."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from accounts.models import User
from hiring.models import Opening
from hiring.trials import real

EVERY = "hiring.oversee_opening"
NAMED = "hiring.lead_opening"


def sees_every_opening(viewer: User) -> bool:
    """Administrators and recruiters."""
    return viewer.has_perm(EVERY)


def openings_overseen_by(viewer: User) -> QuerySet[Opening]:
    """All, or those that name the viewer, whose role has to allow that; what they score is not among them."""
    if sees_every_opening(viewer):
        return real(Opening.objects.all())
    if viewer.has_perm(NAMED):
        return real(Opening.objects.filter(hiring_manager=viewer))
    return Opening.objects.none()


def oversees(viewer: User, opening: Opening) -> bool:
    return openings_overseen_by(viewer).filter(pk=opening.pk).exists()


def may_be_named(now: datetime) -> Q:
    """Staff who can be chosen as hiring manager: people with access in a role that leads openings."""
    permission = Q(
        groups__permissions__codename="lead_opening",
        groups__permissions__content_type__app_label="hiring",
    )
    access = Q(access_ends_at=None) | Q(access_ends_at__gt=now)
    return Q(is_active=True, is_staff=True) & access & permission
