"""The first five steps of a new site, each read from the facts: nothing remembers how far somebody came."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from hiring.messages.delivery import is_configured
from hiring.models import Invitation, Opening
from hiring.trials import real
from reviews.visibility import may_be_asked_to_score

PERMISSION = "hiring.add_opening"
UNNAMED = "Example Compute"
"""What an organisation is called that nobody has named."""


class Step(NamedTuple):
    """`action` and `url_name` lead to where it is done; both empty: where the site is started."""

    key: str
    title: str
    why: str
    fact: str
    done: bool
    action: str = ""
    url_name: str = ""
    permission: str = ""


class Row(NamedTuple):
    """A step as somebody sees it: `url` where they may do it; the first that is left is next."""

    step: Step
    url: str
    is_next: bool


def is_new() -> bool:
    """Whether nobody was ever invited with this site."""
    return not real(Invitation.objects.all()).exists()


def rows_for(person: User, now: datetime) -> list[Row]:
    found = steps(now)
    following = next((step.key for step in found if not step.done), "")
    return [
        Row(
            step,
            reverse(step.url_name) if step.url_name and person.has_perm(step.permission) else "",
            step.key == following,
        )
        for step in found
    ]


def steps(now: datetime) -> list[Step]:
    """All five, in their order."""
    openings = real(Opening.objects.filter(closed_at=None))
    with_exercise = openings.filter(exercises__isnull=False).distinct().count()
    links = real(Invitation.objects.all()).count()
    return [_organisation(), _mail(), _people(now), _opening(with_exercise), _invitation(links)]


def _organisation() -> Step:
    named = settings.ORGANISATION != UNNAMED
    return Step(
        "organisation",
        "Name your organisation",
        "Candidates read it on every page and in every message, with the address that they can write to. "
        "Both are settings of the site: ORGANISATION and CONTACT_EMAIL.",
        f"{settings.ORGANISATION}, {settings.CONTACT_EMAIL}" if named else "",
        named,
    )


def _mail() -> Step:
    on = is_configured()
    return Step(
        "mail",
        "Let messages out",
        "Until a mail server is named, messages are files that reach nobody, and links are copied by "
        "hand. The settings are EMAIL_HOST, EMAIL_USER and EMAIL_PASSWORD.",
        f"by {settings.EMAIL_HOST or 'a backend of your own'}" if on else "",
        on,
        "Look at the words of messages",
        "admin:message-words",
        "hiring.view_messagewords",
    )


def _people(now: datetime) -> Step:
    count = User.objects.filter(may_be_asked_to_score(now)).distinct().count()
    return Step(
        "people",
        "Bring your colleagues in",
        "Two people score each answer without seeing each other’s scorecard: give two the role of "
        "interviewer or hiring manager.",
        f"{count} who can score" if count else "",
        count >= 2,
        "Add somebody",
        "admin:accounts_user_add",
        "accounts.add_user",
    )


def _opening(count: int) -> Step:
    return Step(
        "opening",
        "Make the first opening",
        "A role, its level, and an exercise from the catalogue. The page says what it asks of a "
        "candidate while you make it.",
        f"{count} with an exercise" if count else "",
        count > 0,
        "Choose an exercise",
        "admin:catalogue",
        "hiring.add_opening",
    )


def _invitation(count: int) -> Step:
    return Step(
        "invitation",
        "Invite somebody",
        "A link and a week in which it can be used. Take the exercise yourself first: a trial is in no "
        "list and no figure.",
        f"{count} so far" if count else "",
        count > 0,
        "Invite a candidate",
        "admin:hiring_invitation_add",
        "hiring.add_invitation",
    )
