"""Tokens of the API, and the keys by which a request that is sent twice counts once."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def live(self, now: datetime) -> Self:
        """Neither revoked nor over, of somebody who has access."""
        access = Q(person__access_ends_at=None) | Q(person__access_ends_at__gt=now)
        rows = self.filter(access, revoked_at=None, expires_at__gt=now)
        return rows.filter(person__is_active=True, person__is_staff=True)


class ApiToken(models.Model):
    """A program's way in. It reads and does what `person` may, narrowed to its scopes; only a hash is kept."""

    label = models.CharField(max_length=80)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="api_tokens",
        help_text="Whose role, openings and blindness the token has.",
    )
    scopes = models.JSONField(default=list)
    token_hash = models.CharField(max_length=64, unique=True)
    starts_with = models.CharField(max_length=12, help_text="By which it is recognised in a list.")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, help_text="To the hour.")
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("made_at")), name="token_expires_after_it_is_made"
            )
        ]

    def __str__(self) -> str:
        return self.label

    def state(self, now: datetime) -> str:
        """live, revoked, over, or without access: its person has none any more."""
        if self.revoked_at:
            return "revoked"
        if self.expires_at <= now:
            return "over"
        has_access = self.person.is_active and self.person.is_staff and self.person.has_access(now)
        return "live" if has_access else "without access"


class Departure(models.Model):
    """The identity provider deleted this person, and sees them no more until somebody makes them active."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="departure"
    )
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.person} at {self.at:%Y-%m-%d %H:%M:%S}"


class KeyedRequest(models.Model):
    """A request that changed something and carried an Idempotency-Key: what came of it, by keys alone.

    The answer is made anew from the rows when the request comes again, so that nothing that says who
    somebody is lies here.
    """

    token = models.ForeignKey(ApiToken, models.CASCADE, related_name="keyed_requests")
    key = models.CharField(max_length=100)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    made = models.JSONField(default=dict)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["token", "key"], name="key_of_a_token_counts_once")
        ]

    def __str__(self) -> str:
        return f"{self.key} at {self.at:%Y-%m-%d %H:%M:%S}"
