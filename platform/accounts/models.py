"""Staff accounts; what somebody may do comes from their role (a group), see accounts.roles."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A member of staff. Candidates have no account: they come by a link."""

    access_ends_at = models.DateTimeField(
        "access ends",
        null=True,
        blank=True,
        help_text="UTC. From then on the account cannot sign in; what it did stays on record. "
        "Guests need one.",
    )

    class Meta(AbstractUser.Meta):
        verbose_name = "member of staff"
        verbose_name_plural = "staff"

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    def has_access(self, now: datetime) -> bool:
        """Whether the account's time has not ended yet."""
        return self.access_ends_at is None or now < self.access_ends_at


class FailedSignIn(models.Model):
    """A try to sign in that did not succeed, kept while it counts: every process has to know of it."""

    username = models.CharField(max_length=150, db_index=True)
    address = models.CharField(max_length=45, blank=True, db_index=True)
    mark = models.CharField(
        max_length=32, blank=True, help_text="Of a browser that signed in under the name before."
    )
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.username} from {self.address} at {self.at:%Y-%m-%d %H:%M:%S}"


class ConfirmedPress(models.Model):
    """One question that somebody answered: its page, sent twice, does nothing the second time."""

    key = models.UUIDField(unique=True)
    at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key} at {self.at:%Y-%m-%d %H:%M:%S}"
