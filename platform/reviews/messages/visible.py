"""Which messages a member of staff may read: their own, and those about people they may know by name."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import User
from hiring.models import Message
from reviews.visibility import candidates_visible_to


def messages_visible_to(viewer: User) -> QuerySet[Message]:
    """A message to a candidate says the name; one to a colleague tells whom they score."""
    if not viewer.has_perm("hiring.view_message"):
        return Message.objects.none()
    named = Q(candidate__in=candidates_visible_to(viewer))
    return Message.objects.filter(named | Q(recipient=viewer))
