"""The button that shows an invitation's materials before the clock starts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms

from accounts.confirmed import Refused, Verb
from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.ahead import release
from hiring.invite_form import Moment
from hiring.models import Invitation


class AheadForm(forms.Form):
    """From when; nothing takes it back."""

    opens_at = Moment(
        label="Shown from (UTC)",
        required=False,
        help_text="24 to 48 hours before the link opens is usual. Empty: nothing is shown ahead.",
    )


def shown_from(opens_at: datetime) -> str:
    """What the trail says."""
    return f"Materials are shown ahead from {opens_at:%Y-%m-%d %H:%M} UTC."


def _perform(invitation: Invitation, data: dict[str, Any], by: User, now: datetime) -> str:
    if invitation.revoked_at:
        raise Refused("This invitation was revoked. Invite the candidate again instead.")
    opens_at = data["opens_at"]
    if opens_at and opens_at >= invitation.window_closes_at():
        raise Refused("Show the materials before the link closes.")
    try:
        release.arrange(invitation, opens_at=opens_at, by=by, now=now)
    except NotPossible as error:
        raise Refused(str(error)) from error
    if opens_at is None:
        return "Nothing is shown ahead."
    warning = release.usual_warning(invitation, opens_at)
    return f"{shown_from(opens_at)} {warning}".strip()


AHEAD = Verb(
    title="Show materials ahead",
    explanation=(
        "From that moment the candidate can read brief and materials of the scaling plan or the cost "
        "exercise on the overview that the link opens, without any clock. When they first open them is "
        "kept and shown beside the scores; after that the moment cannot be changed. The other exercises "
        "stay a surprise. A message that was sent before does not know of it: send the link again."
    ),
    button="Keep",
    permission="hiring.change_invitation",
    perform=_perform,
    form=AheadForm,
)
