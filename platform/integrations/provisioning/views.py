"""/scim/v2/: what a company's identity provider asks and says (RFC 7644)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from accounts.models import User
from accounts.not_possible import NotPossible
from integrations.api.access import NO_TOKEN, TokenAuthentication, TokenThrottle
from integrations.api.base import AlwaysJson
from integrations.models import ApiToken
from integrations.provisioning import accounts, described, messages

SCOPE, PERMISSION = "staff:provision", "accounts.change_user"
NOT_HERE = "There is no such account, or the provider deleted it."
NOT_MADE = (
    "Accounts are made here by an administrator, or when somebody first signs in through the "
    "identity provider (OIDC_NEW_ROLE)."
)
MOST_DIGITS = 18


class ScimJson(AlwaysJson):
    """Both names that JSON has here are read the same way."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        sent = (request.content_type or "").partition(";")[0].strip().lower()
        return parsers[0] if sent in ("application/scim+json", "application/json") else None


class ScimRenderer(JSONRenderer):
    media_type = "application/scim+json"


class Provisions(BasePermission):
    """The token has the scope, and its person may change accounts."""

    message = NO_TOKEN

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiToken):
            return False
        if SCOPE not in request.auth.scopes:
            raise PermissionDenied(f"This token lacks the scope {SCOPE}.")
        if not request.auth.person.has_perm(PERMISSION):
            raise PermissionDenied(f"The role of this token's person lacks {PERMISSION}.")
        return True


class Scim(APIView):
    """What all addresses have in common."""

    authentication_classes = [TokenAuthentication]
    permission_classes = [Provisions]
    throttle_classes = [TokenThrottle]
    renderer_classes = [ScimRenderer]
    content_negotiation_class = ScimJson
    metadata_class = None
    schema = None  # the API's description is of /api/v1/ alone

    def get_exception_handler(self) -> Callable[..., Any]:
        return refused

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        answer: Response = super().finalize_response(request, response, *args, **kwargs)
        answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    @property
    def token(self) -> ApiToken:
        token = self.request.auth
        assert isinstance(token, ApiToken)  # noqa: S101  (Provisions let it in)
        return token


class Users(Scim):
    """The staff in pages, or whom a filter means."""

    def get(self, request: Request) -> Response:
        asked = request.query_params.get("filter", "")
        rows = accounts.matching(asked) if asked else accounts.known()
        start = max(1, _number(request, "startIndex", 1))
        count = min(described.MOST_ROWS, max(0, _number(request, "count", described.MOST_ROWS)))
        page = rows[start - 1 : start - 1 + count]
        return Response(messages.listed(map(messages.account, page), rows.count(), start))

    def post(self, request: Request) -> Response:
        return Response(messages.error(501, NOT_MADE), status=501)


class OneUser(Scim):
    """One account: read it, say whether it is active, or that its person left for good."""

    def get(self, request: Request, key: str) -> Response:
        return Response(messages.account(_account(key)))

    def patch(self, request: Request, key: str) -> Response:
        return self._changed(_account(key), messages.active_in(request.data))

    def put(self, request: Request, key: str) -> Response:
        return self._changed(_account(key), messages.active_of(request.data))

    def delete(self, request: Request, key: str) -> Response:
        """What somebody scored and decided stays on record, so the row does; the provider sees it no more."""
        accounts.end(_account(key), self.token, now=timezone.now(), for_good=True)
        return Response(status=204)

    def _changed(self, user: User, active: bool | None) -> Response:
        if active is False:
            accounts.end(user, self.token, now=timezone.now())
        elif active:
            accounts.give_back(user, self.token)
        return Response(messages.account(user))


class Provider(Scim):
    def get(self, request: Request) -> Response:
        return Response(described.provider())


class Described(Scim):
    """A list of descriptions, or one by its name."""

    rows: Callable[[], dict[str, dict[str, Any]]] = staticmethod(dict)

    def get(self, request: Request, key: str = "") -> Response:
        rows = self.rows()
        if not key:
            return Response(messages.listed(rows.values(), len(rows), 1))
        if key not in rows:
            raise Http404
        return Response(rows[key])


def refused(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer to an error in SCIM's form; None leaves it to the site's own handler."""
    if isinstance(error, messages.Invalid):
        return Response(messages.error(400, str(error), error.kind), status=400)
    if isinstance(error, accounts.BadFilter):
        return Response(messages.error(400, str(error), "invalidFilter"), status=400)
    if isinstance(error, NotPossible):
        return Response(messages.error(409, str(error)), status=409)
    response = exception_handler(error, context)
    if response is None:
        return None
    said = NOT_HERE if isinstance(error, Http404) else str(getattr(error, "detail", error))
    kind = "invalidSyntax" if getattr(error, "default_code", "") == "parse_error" else ""
    if isinstance(error, APIException) and response.status_code == 415:
        said = "Send JSON, with Content-Type: application/scim+json."
    response.data = messages.error(response.status_code, said, kind)
    return response


def _account(key: str) -> User:
    """Raises Http404."""
    short = key.isascii() and key.isdigit() and len(key) <= MOST_DIGITS
    user = accounts.known().filter(pk=int(key)).first() if short else None
    if user is None:
        raise Http404
    return user


def _number(request: Request, name: str, usual: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return usual
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
        raise messages.Invalid("invalidValue", f"{name} is a whole number.")
    return int(text)
