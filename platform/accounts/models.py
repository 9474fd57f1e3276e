"""Staff accounts; what somebody may do comes from their role (a group), see accounts.roles."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A member of staff. Candidates have no account: they come by a link."""

    class Meta(AbstractUser.Meta):
        verbose_name = "member of staff"
        verbose_name_plural = "staff"

    def __str__(self) -> str:
        return self.get_full_name() or self.username
