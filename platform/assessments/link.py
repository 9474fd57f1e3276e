"""Who a candidate's request comes from: a signed cookie that the link sets, checked on every request."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from assessments.models import Attempt
from hiring import language_choices, languages
from hiring.models import Invitation
from hiring.trials import practice_of

COOKIE = "headnode_candidate"
SALT = "candidate-link"
MAX_AGE_S = 120 * 24 * 3600
MAX_LINKS = 10


class CandidateSession:
    """The invitations this browser has opened; stands where DRF expects a user."""

    is_authenticated = True

    def __init__(self, links: dict[str, str]) -> None:
        self.links = links


def links_of(request: HttpRequest) -> dict[str, str]:
    """Invitation id -> the start of the token hash its link had when it was opened here."""
    try:
        links = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=MAX_AGE_S)
    except signing.BadSignature:
        return {}
    return links if isinstance(links, dict) else {}


def remember(request: HttpRequest, response: HttpResponse, invitation: Invitation) -> None:
    """Let this browser in without the link from now on."""
    links = links_of(request)
    links.pop(str(invitation.pk), None)
    links[str(invitation.pk)] = invitation.token_hash[:16]
    newest = dict(list(links.items())[-MAX_LINKS:])
    _keep(response, COOKIE, signing.dumps(newest, salt=SALT))
    if chosen := languages.chosen(invitation):
        speak(response, chosen)


def speak(response: HttpResponse, language: str) -> None:
    """Say this browser's pages in the language from now on."""
    _keep(response, language_choices.COOKIE, language)


def _keep(response: HttpResponse, name: str, value: str) -> None:
    response.set_cookie(
        name,
        value,
        max_age=MAX_AGE_S,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponse) -> None:
    """Let this browser in nowhere any more, and have it drop the pages it keeps."""
    response.delete_cookie(COOKIE, samesite="Lax")
    response["Clear-Site-Data"] = '"cache"'


def may_enter(links: dict[str, str], invitation: Invitation) -> bool:
    """The link was opened in this browser, is still the present one and was not revoked.

    Practice has no link of its own: it opens with the one of the invitation that it is for.
    """
    invitation = practice_of(invitation) or invitation
    known = links.get(str(invitation.pk))
    return known == invitation.token_hash[:16] and invitation.revoked_at is None


def invitation_for(request: HttpRequest, pk: UUID) -> Invitation:
    """The invitation behind a page; raises Http404 for all who did not come by its link."""
    rows = Invitation.objects.select_related(
        "opening__company", "opening__practice_of", "candidate"
    )
    invitation = rows.filter(pk=pk).first()
    if invitation is None or not may_enter(links_of(request), invitation):
        raise Http404
    return invitation


def attempt_for(links: dict[str, str], pk: UUID) -> Attempt:
    """The attempt behind a page or a call; raises Http404 for all who did not come by its link."""
    attempt = (
        Attempt.objects.select_related(
            "exercise",
            "invitation__opening__practice_of",
            "invitation__candidate",
            "pack_version",
        )
        .filter(pk=pk)
        .first()
    )
    if attempt is None or not may_enter(links, attempt.invitation):
        raise Http404
    return attempt


class _CSRFCheck(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def _nowhere(request: HttpRequest) -> HttpResponse:
    """The view that Django's check asks for and never calls."""
    return HttpResponse()


class CandidateAuthentication(BaseAuthentication):
    """DRF's view of the cookie; unsafe methods also need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[CandidateSession, None] | None:
        links = links_of(request._request)
        if not links:
            return None
        check = _CSRFCheck(_nowhere)
        check.process_request(request._request)
        if check.process_view(request._request, _nowhere, (), {}):
            raise PermissionDenied("The page is out of date: reload it. Your saved work is safe.")
        return CandidateSession(links), None

    def authenticate_header(self, request: Request) -> str:
        return "Link"


def mark_opened(invitation: Invitation, *, now: datetime) -> None:
    """Record when the link was first opened."""
    Invitation.objects.filter(pk=invitation.pk, first_opened_at=None).update(first_opened_at=now)
