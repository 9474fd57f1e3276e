"""The buttons of an invitation: send by e-mail, make a new link, revoke."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.core.mail import BadHeaderError

from accounts.confirmed import Refused, Verb
from accounts.models import User
from hiring.invitations import revoke, send_link
from hiring.models import Invitation


def _usable(invitation: Invitation, now: datetime) -> None:
    if invitation.revoked_at:
        raise Refused("This invitation was revoked. Invite the candidate again instead.")
    if invitation.state(now) == "over" and not invitation.attempts.exists():
        raise Refused("The window is over and nothing was started. Invite the candidate again.")


def _send(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    _usable(invitation, now)
    try:
        send_link(invitation, now=now)
    except BadHeaderError as error:  # a title from before line breaks were refused
        raise Refused(
            "The opening's title has a line break, which no subject line takes: correct the title."
        ) from error
    except OSError as error:
        raise Refused(
            "The mail server did not take the message. The earlier link still works."
        ) from error
    return f"Sent a new link to {invitation.candidate.email}; earlier links no longer work."


def _replace(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    _usable(invitation, now)
    return f"Made a new link. Reason: {data['reason']}"


def _revoke(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    if not revoke(invitation, by=by, reason=data["reason"], now=now):
        raise Refused("This invitation was revoked before.")
    return f"Revoked. Reason: {data['reason']}"


SEND = Verb(
    title="Send the link by e-mail",
    explanation=(
        "A new link goes to the candidate's address. Links are stored as a hash only, so the one "
        "they may hold cannot be sent again: it stops working, and their work stays as it is."
    ),
    button="Send the link",
    permission="hiring.change_invitation",
    perform=_send,
    form=forms.Form,
)
REPLACE = Verb(
    title="Make a new link",
    explanation=(
        "The present link stops working and a new one is shown once, for you to copy. What the "
        "candidate has done so far stays as it is and is reached through the new link."
    ),
    button="Make a new link",
    permission="hiring.change_invitation",
    perform=_replace,
)
REVOKE = Verb(
    title="Revoke the invitation",
    explanation=(
        "The link stops working at once, and it cannot be brought back. Work that was saved or "
        "handed in is kept and can still be scored."
    ),
    button="Revoke the invitation",
    permission="hiring.change_invitation",
    perform=_revoke,
    grave=True,
)
