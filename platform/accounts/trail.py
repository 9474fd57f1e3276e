"""What the audit trail notes by itself: signing in and out, wrong passwords, a change of roles."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from accounts.audit import note_action
from accounts.models import User
from accounts.sign_in import address_of


def signed_in(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    if request.method:  # none: a program began the session, nobody signed in
        note_action(user, user, f"Signed in{_from(request)}.")


def signed_out(sender: Any, request: HttpRequest, user: User | None, **kwargs: Any) -> None:
    if user is not None and request.method:  # no user: the session had ended already
        note_action(user, user, f"Signed out{_from(request)}.")


def failed(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """A wrong password for an account that exists; names that nobody has are only counted."""
    name = str(credentials.get("username", "")).replace("\x00", "")
    user = User.objects.filter(username=name).first()
    if user is not None:
        note_action(user, user, f"A wrong password was typed for this account{_from(request)}.")


def roles_changed(by: User, user: User, before: set[str], after: set[str]) -> None:
    """Which roles somebody gained and lost; nothing where they stayed the same."""
    said = [f"gave {name}" for name in sorted(after - before)]
    said += [f"took {name} away" for name in sorted(before - after)]
    if said:
        note_action(by, user, f"Roles: {', '.join(said)}.")


def _from(request: HttpRequest | None) -> str:
    address = address_of(request)
    return f" from {address}" if address else ""
