"""The buttons of an invitation: send by e-mail, remind, extend the window, make a new link, revoke."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.db import transaction

from accounts.confirmed import ReasonForm, Refused, Verb
from accounts.models import User
from hiring.invitations import extend_windows, revoke
from hiring.invite_form import Moment
from hiring.messages.delivery import is_configured
from hiring.messages.to_candidates import invite_by_mail, left_to_start, remind
from hiring.messages.zones import in_zones, zone_of
from hiring.models import Invitation

NOTHING_LEFT = "There is nothing to remind of: the window is not open, or all was started."
REVOKED_BEFORE = "This invitation was revoked before."
CLOSES_LATER = "It closes then, or later, already: choose a later moment."
NOT_CONFIGURED = "Mail is not configured, so it reaches nobody yet: copy a link by hand."


def check_usable(invitation: Invitation, now: datetime) -> None:
    """Raise Refused where no link to it can be of use."""
    if invitation.revoked_at:
        raise Refused("This invitation was revoked. Invite the candidate again instead.")
    if invitation.state(now) == "over" and not invitation.attempts.all():
        raise Refused("The window is over and nothing was started. Invite the candidate again.")


def check_sendable(invitation: Invitation, now: datetime) -> None:
    check_usable(invitation, now)
    if not invitation.candidate.email:
        raise Refused("There is no address to send it to: enter one on the candidate's page.")


def check_remindable(invitation: Invitation, now: datetime) -> None:
    check_usable(invitation, now)
    if invitation.state(now) != "open" or not left_to_start(invitation):
        raise Refused(NOTHING_LEFT)


def check_revocable(invitation: Invitation) -> None:
    if invitation.revoked_at:
        raise Refused(REVOKED_BEFORE)


def check_extendable(invitation: Invitation, closes_at: datetime, now: datetime) -> None:
    if invitation.revoked_at:
        raise Refused("This invitation was revoked. Invite the candidate again instead.")
    if not left_to_start(invitation):
        raise Refused("Everything was started: extend the time of the attempt instead.")
    if closes_at <= now:
        raise Refused("This moment has passed: choose a later one.")
    if invitation.closes_at >= closes_at:
        raise Refused(CLOSES_LATER)


def _send(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    check_sendable(invitation, now)
    before = getattr(invitation, "times_sent", None)  # lists count it for all their rows at once
    invite_by_mail(invitation, by=by, now=now, times_sent=before)
    note = "" if is_configured() else f" {NOT_CONFIGURED}"
    return f"The invitation to {invitation.candidate.email} is on its way.{note}"


def _remind(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    check_remindable(invitation, now)
    about = f"asked for {invitation.pk} {now.isoformat(timespec='minutes')}"
    if not remind(invitation, by=by, now=now, about=about):
        raise Refused(NOTHING_LEFT)
    return f"A reminder to {invitation.candidate.email} is on its way."


def _replace(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    check_usable(invitation, now)
    return f"Made a new link. Reason: {data['reason']}"


def _revoke(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    if not revoke(invitation, by=by, reason=data["reason"], now=now):
        raise Refused(REVOKED_BEFORE)
    return f"Revoked. Reason: {data['reason']}"


def _extend(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    return extend_all([invitation], data, by, now)[0]


@transaction.atomic
def extend_all(
    invitations: list[Invitation], data: dict[str, Any], by: User, now: datetime
) -> list[str]:
    """All of them or none: the sentence about each, or Refused because of one."""
    for row in invitations:
        check_extendable(row, data["closes_at"], now)
    if not extend_windows(invitations, closes_at=data["closes_at"]):
        raise Refused(CLOSES_LATER)
    closes = in_zones(data["closes_at"], [zone_of(by)])
    said = []
    for row in invitations:
        told = f" {_tell_of_window(row, by, now)}" if data.get("tell") else ""
        said.append(f"The window closes {closes}.{told} Reason: {data['reason']}")
    return said


def untold_of_window(invitation: Invitation, now: datetime) -> str:
    """Why nobody can be told that the window is longer, "" where the candidate is."""
    if not invitation.candidate.email:
        return "there is no address"
    if not invitation.sent_at and invitation.opens_at > now:
        return "nothing was sent to them yet"
    return ""


def _tell_of_window(invitation: Invitation, by: User, now: datetime) -> str:
    """By the message that fits: a reminder where it is open, the invitation where it is to come."""
    if why := untold_of_window(invitation, now):
        return f"The candidate is not told: {why}."
    about = f"longer {invitation.pk} {invitation.closes_at:%Y%m%d%H%M}"
    if not remind(invitation, by=by, now=now, about=about) and invitation.sent_at:
        invite_by_mail(invitation, by=by, now=now)
    return "The candidate is told."


class WindowForm(ReasonForm):
    """Until when, and whether the candidate hears of it."""

    closes_at = Moment(
        label="Closes (UTC)",
        help_text="Last moment to press Start. Agreed extra time widens the window by itself.",
    )
    tell = forms.BooleanField(
        required=False,
        initial=True,
        label="Tell the candidate by e-mail",
        help_text="With a link of its own; links from before keep working.",
    )
    field_order = ["closes_at", "tell", "reason"]


SEND = Verb(
    title="Send the link by e-mail",
    explanation=(
        "The invitation goes to the candidate's address, with a link of its own. Links that they may "
        "hold already keep working; “Make a new link” is what stops them."
    ),
    button="Send the link",
    permission="hiring.change_invitation",
    perform=_send,
    form=forms.Form,
)
REMIND = Verb(
    title="Remind the candidate",
    explanation=(
        "A message says what is left to start, until when, and carries a link of its own. Whoever was "
        "invited by mail is also reminded by itself, a day before the window closes."
    ),
    button="Send the reminder",
    permission="hiring.change_invitation",
    perform=_remind,
    form=forms.Form,
)
EXTEND_WINDOW = Verb(
    title="Extend the window",
    explanation=(
        "The exercises can be started until later. What was begun keeps its own clock, which is "
        "extended on the page of the attempt."
    ),
    button="Extend the window",
    permission="hiring.change_invitation",
    perform=_extend,
    form=WindowForm,
)
REPLACE = Verb(
    title="Make a new link",
    explanation=(
        "All links from before stop working, those that were mailed among them, and a new one is shown "
        "once, for you to copy. What the candidate has done stays as it is and is reached by the new one."
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
