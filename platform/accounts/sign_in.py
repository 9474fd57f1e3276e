"""Slow down whoever guesses passwords, without locking out the person whose name is guessed with.

Every try is counted before it is made, so that many at once are no more than the bound. A stranger's
failures count by name and address together, by address and by name. A browser that has signed in
before under a name carries a signed mark of it and has a bound of its own.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.backends import ModelBackend
from django.core import signing
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Q
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from accounts.models import FailedSignIn, User

WINDOW = timedelta(minutes=15)
MOST_TRIES = 10
"""With one name from one address, and with one name from a browser that is known for it."""
MOST_PER_NAME = MOST_PER_ADDRESS = 50
"""Of strangers: with one name from all addresses, and from one address with all names."""
KNOWN, SALT = "headnode_known", "signed-in-before"
KNOWN_FOR = timedelta(days=180)
MOST_KNOWN = 5
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


def known_marks(request: HttpRequest | None) -> dict[str, str]:
    """User name -> the mark this browser was given when somebody signed in under it."""
    try:
        marks = signing.loads(
            request.COOKIES.get(KNOWN, "") if request else "",
            salt=SALT,
            max_age=KNOWN_FOR,
        )
    except signing.BadSignature:
        return {}
    return marks if isinstance(marks, dict) else {}


def count_try(
    username: str, address: str, now: datetime, *, mark: str = "", per_name: int = MOST_PER_NAME
) -> FailedSignIn | None:
    """Count a try as failed before it is made; None where there were too many of late.

    Whoever reads the count has written their own try first: of any number at once no more than the
    bound see a count within it. A try that succeeds is deleted by whoever made it.
    """
    FailedSignIn.objects.filter(at__lte=now - WINDOW).delete()
    own = FailedSignIn.objects.create(
        username=_known_as(username), address=address, mark=mark, at=now
    )
    if not _has_too_many(own, now, per_name):
        return own
    own.delete()  # what was not tried does not prolong the wait
    return None


def _has_too_many(own: FailedSignIn, now: datetime, per_name: int) -> bool:
    recent = FailedSignIn.objects.filter(at__gt=now - WINDOW)
    named = recent.filter(username=own.username)
    if own.mark:
        return named.filter(mark=own.mark).count() > MOST_TRIES
    named, strange = named.filter(mark=""), recent.filter(mark="")
    return (
        named.filter(address=own.address).count() > MOST_TRIES
        or named.count() > per_name
        or (own.address != "" and strange.filter(address=own.address).count() > MOST_PER_ADDRESS)
    )


def forget_failures(
    sender: Any, user: User, request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """Somebody who knows the password begins anew; what strangers tried elsewhere stays counted."""
    name = _known_as(user.get_username())
    theirs = Q(address=address_of(request), mark="")
    if mark := known_marks(request).get(name):
        theirs |= Q(mark=mark)
    FailedSignIn.objects.filter(theirs, username=name).delete()


class SignInForm(AdminAuthenticationForm):
    """Asks no password of whoever failed too often, not even the right one."""

    def clean(self) -> dict[str, Any]:
        name = str(self.data.get("username", ""))
        mark = known_marks(self.request).get(_known_as(name), "")
        address = address_of(self.request)
        if count_try(name, address, timezone.now(), mark=mark) is None:
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


def finished(request: HttpRequest, response: Any) -> Any:
    """The sign-in page's answer: 429 where it refuses to try, a mark for the browser that was let in."""
    context = response.context_data if isinstance(response, TemplateResponse) else None
    form = (context or {}).get("form")
    if form is not None and form.is_bound and form.has_error(NON_FIELD_ERRORS, CODE):
        response.status_code = 429
        response["Retry-After"] = str(int(WINDOW.total_seconds()))
    if request.method == "POST" and response.status_code == 302 and request.user.is_authenticated:
        _make_known(request, response)
    return response


def _make_known(request: HttpRequest, response: Any) -> None:
    marks = known_marks(request)
    name = _known_as(request.user.get_username())
    marks[name] = marks.pop(name, "") or secrets.token_hex(16)
    response.set_cookie(
        KNOWN,
        signing.dumps(dict(list(marks.items())[-MOST_KNOWN:]), salt=SALT),
        max_age=KNOWN_FOR,
        path=request.path,  # no other page needs it
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
