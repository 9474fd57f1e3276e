"""Staff sign in through the company's identity provider (OpenID Connect), where the settings name one.

Authlib speaks the protocol and verifies the token: signature by the provider's published keys, issuer,
audience, expiry, nonce, PKCE. What is decided here is whose account it is.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import transaction
from django.http import HttpRequest

from accounts.audit import ADDITION, note_action
from accounts.models import User

logger = logging.getLogger(__name__)
SECONDS = 10  # a provider that does not answer must not hold a worker for longer
CASES = str.maketrans(ascii_uppercase, ascii_lowercase)
BACKEND = "accounts.sign_in.StaffBackend"


class NotSignedIn(Exception):
    """Nobody is signed in; the text is one sentence that tells the person what to do."""


FAILED = "Signing in through the identity provider did not work: try again, or use your password."
UNVERIFIED = (
    "The identity provider does not vouch for your e-mail address: ask whoever runs it, or use your "
    "password."
)
UNKNOWN = (
    "There is no active account here for the address that the identity provider named: ask an "
    "administrator for one."
)


def is_on() -> bool:
    return bool(settings.OIDC_ISSUER and settings.OIDC_CLIENT_ID)


@cache
def _client(issuer: str, client_id: str, secret: str) -> Any:
    """Authlib's client; it keeps the provider's description and keys, and asks anew for unknown keys."""
    from authlib.integrations.django_client import OAuth

    return OAuth().register(
        "provider",
        client_id=client_id,
        client_secret=secret,
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": SECONDS,
        },
    )


def _described() -> Any:
    """The client once the provider's description was read and is the configured issuer's own."""
    client = _client(settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)
    metadata = client.load_server_metadata()
    if str(metadata.get("issuer", "")).rstrip("/") != settings.OIDC_ISSUER:
        raise ValueError(f"The provider calls itself {metadata.get('issuer')!r}.")
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    # a token that is unsigned, or signed with the shared secret, proves less than a published key
    signed = [name for name in offered if name != "none" and not str(name).startswith("HS")]
    metadata["id_token_signing_alg_values_supported"] = signed or ["RS256"]
    return client


def leave_for_provider(request: HttpRequest, back: str) -> Any:
    """The redirect to the provider, which sends the person `back`; raises NotSignedIn."""
    try:
        return _described().authorize_redirect(request, back)
    except Exception as error:  # the network's, the provider's, Authlib's: one answer for all
        logger.warning("The identity provider could not be asked: %s", error)
        raise NotSignedIn(FAILED) from error


def claims_of(request: HttpRequest) -> Mapping[str, Any]:
    """What the provider says of the person who came back, verified; raises NotSignedIn."""
    try:
        client = _described()
        wanted = {
            "iss": {"essential": True, "value": client.server_metadata["issuer"]},
            "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        }
        token = client.authorize_access_token(request, claims_options=wanted)
        claims = dict(token["userinfo"])
        if "email" not in claims and "userinfo_endpoint" in client.server_metadata:
            more = dict(client.userinfo(token=token))
            if more.get("sub") == claims["sub"]:
                claims |= {name: more.get(name) for name in ("email", "email_verified", "name")}
    except Exception as error:  # as above; what came back is not to be trusted in any part
        logger.warning("Nobody was signed in by the identity provider: %s", error)
        raise NotSignedIn(FAILED) from error
    return claims


def account_of(claims: Mapping[str, Any], *, now: datetime) -> User:
    """The one active member of staff with the verified address; raises NotSignedIn.

    Where OIDC_NEW_ROLE names a role, somebody unknown gets an account with it.
    """
    email = claims.get("email")
    if not isinstance(email, str) or "@" not in email or claims.get("email_verified") is not True:
        raise NotSignedIn(UNVERIFIED)
    alike = User.objects.filter(email__iexact=email)
    found = [user for user in alike if _folded(user.email) == _folded(email)]
    if not found and settings.OIDC_NEW_ROLE:
        return _new_account(email, str(claims.get("name") or ""))
    if len(found) != 1:  # two accounts with one address: nobody can say which is meant
        raise NotSignedIn(UNKNOWN)
    user = found[0]
    if not (user.is_active and user.is_staff and user.has_access(now)):
        raise NotSignedIn(UNKNOWN)
    return user


def _folded(address: str) -> str:
    """A to Z as a to z and no other letter.

    PostgreSQL holds a dotless i for an i, and a provider may vouch for whoever has the look-alike.
    """
    return address.translate(CASES)


@transaction.atomic
def _new_account(email: str, name: str) -> User:
    group = Group.objects.filter(name__iexact=settings.OIDC_NEW_ROLE).first()
    if group is None:
        logger.error("OIDC_NEW_ROLE names %r, and there is no such role.", settings.OIDC_NEW_ROLE)
        raise NotSignedIn(UNKNOWN)
    if User.objects.filter(username__iexact=email[:150]).exists():
        raise NotSignedIn(UNKNOWN)
    first, _, last = name.replace("\x00", "").strip().partition(" ")
    user = User.objects.create_user(
        email[:150], email, first_name=first[:150], last_name=last[:150], is_staff=True
    )
    user.groups.add(group)
    text = f"Made when they first signed in through the identity provider, as {group.name}."
    note_action(user, user, text, flag=ADDITION)
    return user
