"""Who asks the API: a token's person, as far as the token's scopes go, and how often."""

from __future__ import annotations

import time
from typing import Any, cast

from django.conf import settings
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import User
from accounts.sign_in import address_of
from assessments.throttle import Buckets
from integrations import tokens
from integrations.models import ApiToken

GUESSED = Buckets(20, 0.2)
"""Tries with a token that opens nothing, for each place that they come from."""
AT_ONCE = 60
ASKED = Buckets(max(AT_ONCE, settings.API_PER_MINUTE // 10), settings.API_PER_MINUTE / 60)
"""Requests of one token: so many at once, and then at the rate of API_PER_MINUTE."""
NO_TOKEN = "Send a token: Authorization: Bearer hn_…"  # noqa: S105
WRONG = "This token opens nothing: it was mistyped, has expired or was revoked, or its person has no access."


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer hn_…"""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = tokens.find(text.strip(), timezone.now())
        if token is None:
            if not GUESSED.take(address_of(request._request), time.monotonic()):
                raise Throttled(wait=5)
            raise AuthenticationFailed(WRONG)
        return token.person, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Headnode"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": NO_TOKEN}


class TokenPermission(BasePermission):
    """The token has the scope, and its person's role the permission that the same page asks for."""

    message = NO_TOKEN

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        action = getattr(view, "action", None)
        if action is None:
            return True  # a method that the address does not take is answered as that
        scope = (
            f"{view.resource_of(action)}:{'read' if request.method in SAFE_METHODS else 'write'}"
        )
        if scope not in request.auth.scopes:
            raise PermissionDenied(f"This token lacks the scope {scope}.")
        wanted = view.permission_of(action)
        if not request.auth.person.has_perm(wanted):
            raise PermissionDenied(f"The role of this token's person lacks {wanted}.")
        return True


class TokenThrottle(BaseThrottle):
    """So many requests of one token in a web process; who is refused is told when to ask again."""

    def allow_request(self, request: Request, view: Any) -> bool:
        key = str(request.auth.pk) if isinstance(request.auth, ApiToken) else ""
        return not key or ASKED.take(key, time.monotonic())

    def wait(self) -> float:
        return 60 / settings.API_PER_MINUTE


def caller(request: Request) -> User:
    """The token's person: whose eyes every query of the API is narrowed to."""
    return cast(User, request.user)
