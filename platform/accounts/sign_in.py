"""Slow down whoever guesses passwords: failures are counted by user name and by network address."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from accounts.models import FailedSignIn, User

WINDOW = timedelta(minutes=15)
MOST_PER_NAME = 10
MOST_PER_ADDRESS = 50
TOO_MANY = "Too many failed attempts to sign in: wait 15 minutes, then try again."
CODE = "too_many"
ACCESS_ENDED = "Your access has ended: ask whoever invited you for a later date."


def address_of(request: HttpRequest | None) -> str:
    """Where a request comes from; behind our own proxy, what the proxy saw and appended."""
    if request is None:
        return ""
    if settings.SECURE_PROXY_SSL_HEADER:
        seen = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")[-1].strip()
    else:
        seen = str(request.META.get("REMOTE_ADDR", ""))
    return seen[:45]


def _known_as(username: Any) -> str:
    return str(username).replace("\x00", "").casefold()[:150]


def has_too_many(username: str, address: str, now: datetime) -> bool:
    """Whether this name or this address failed too often of late."""
    recent = FailedSignIn.objects.filter(at__gt=now - WINDOW)
    if recent.filter(username=_known_as(username)).count() >= MOST_PER_NAME:
        return True
    return bool(address) and recent.filter(address=address).count() >= MOST_PER_ADDRESS


def remember_failure(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """Count one failure, and drop those that no longer count."""
    now = timezone.now()
    FailedSignIn.objects.filter(at__lte=now - WINDOW).delete()
    FailedSignIn.objects.create(
        username=_known_as(credentials.get("username", "")), address=address_of(request), at=now
    )


def forget_failures(sender: Any, user: User, **kwargs: Any) -> None:
    """Somebody who knows the password begins anew."""
    FailedSignIn.objects.filter(username=_known_as(user.get_username())).delete()


class SignInForm(AdminAuthenticationForm):
    """Asks no password of whoever failed too often, not even the right one."""

    def clean(self) -> dict[str, Any]:
        name = str(self.data.get("username", ""))
        if has_too_many(name, address_of(self.request), timezone.now()):
            raise ValidationError(TOO_MANY, code=CODE)
        return super().clean()

    def confirm_login_allowed(self, user: Any) -> None:
        """Say that access has ended to whoever knows the password, and to nobody else."""
        super().confirm_login_allowed(user)
        if isinstance(user, User) and not user.has_access(timezone.now()):
            raise ValidationError(ACCESS_ENDED, code="access_ended")


class StaffBackend(ModelBackend):
    """Accounts by password; a session ends with the account's access, not at the next sign-in."""

    def get_user(self, user_id: Any) -> Any:
        user = super().get_user(user_id)
        if isinstance(user, User) and not user.has_access(timezone.now()):
            return None
        return user


def with_status(response: Any) -> Any:
    """The sign-in page's answer, as 429 where it refuses to try."""
    context = response.context_data if isinstance(response, TemplateResponse) else None
    form = (context or {}).get("form")
    if form is not None and form.is_bound and form.has_error(NON_FIELD_ERRORS, CODE):
        response.status_code = 429
        response["Retry-After"] = str(int(WINDOW.total_seconds()))
    return response
