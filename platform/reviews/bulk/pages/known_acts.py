"""The verbs that can be done to many: invitations sent, reminded, extended, revoked; attempts; openings."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.formats import date_format

from accounts.confirmed import Refused, Verb
from accounts.models import User
from assessments.models import Attempt
from hiring import invitation_verbs as verbs
from hiring.messages.to_candidates import left_to_start
from hiring.models import Invitation, Message, Opening
from hiring.opening_verbs import CLOSE
from hiring.oversight import openings_overseen_by
from reviews.bulk.acts import Act
from reviews.messages import results
from reviews.messages.pages.result import by_mail_field
from reviews.models import Decision
from reviews.overview.pages.buttons import EXTEND
from reviews.visibility import (
    attempts_overseen_by,
    invitations_visible_to,
    shown_name,
    with_viewer,
)


def day(at: datetime) -> str:
    return f"{date_format(at, 'j M Y, H:i')} UTC"


def _invitations(viewer: User) -> QuerySet[Invitation]:
    rows = invitations_visible_to(viewer).select_related("candidate")
    rows = rows.prefetch_related("opening", "created_by")  # few rows, which many share
    rows = rows.prefetch_related(
        "candidate__accommodations", "attempts", "exercises", "advance_releases"
    )
    return rows.order_by("candidate__name", "pk")


def _to_send(viewer: User) -> QuerySet[Invitation]:
    sent = Message.objects.filter(invitation=OuterRef("pk"), occasion="invitation").order_by()
    count = sent.values("invitation").annotate(n=Count("pk")).values("n")
    return _invitations(viewer).annotate(times_sent=Coalesce(Subquery(count), 0))


def _attempts(viewer: User) -> QuerySet[Attempt]:
    rows = with_viewer(attempts_overseen_by(viewer), viewer)
    rows = rows.select_related("invitation__candidate", "invitation__opening", "exercise")
    return rows.prefetch_related("time_events")


def _who(row: Invitation) -> str:
    return f"{row.candidate.name}, {row.opening}"


def _send(row: Invitation, data: dict[str, Any], now: datetime) -> str:
    verbs.check_sendable(row, now)
    if row.sent_at:
        return (
            f"was sent it on {day(row.sent_at)}: it goes out once more to {row.candidate.email}, "
            "with another link; the links from before keep working"
        )
    return f"is sent the invitation to {row.candidate.email}, with a link of its own"


def _remind(row: Invitation, data: dict[str, Any], now: datetime) -> str:
    verbs.check_remindable(row, now)
    left = ", ".join(str(exercise) for exercise in left_to_start(row))
    return f"is reminded of {left}, to be started until {day(row.window_closes_at())}"


def _extend(row: Invitation, data: dict[str, Any], now: datetime) -> str:
    until = data["closes_at"]
    verbs.check_extendable(row, until, now)
    why = verbs.untold_of_window(row, now)
    told = f", but is not told: {why}" if why else " and is told by e-mail"
    if not data.get("tell"):
        told = ""
    return f"can start until {day(until)} instead of {day(row.closes_at)}{told}"


def _revoke(row: Invitation, data: dict[str, Any], now: datetime) -> str:
    verbs.check_revocable(row)
    begun = list(row.attempts.all())
    if any(attempt.awaiting_round is not None for attempt in begun):
        return "is at work: the link stops at once, and what was saved so far is kept"
    if begun:
        return "has handed in: the link stops, the work is kept and can still be scored"
    return "has started nothing: the link stops at once"


def _extend_attempt(row: Attempt, data: dict[str, Any], now: datetime) -> str:
    if not row.phase(now).accepts:
        raise Refused("The clock is not running: reopen it on its own page instead.")
    minutes = data["minutes"]
    if row.scores_it:  # type: ignore[attr-defined]
        return f"has {minutes} minutes more"
    after = max(row.deadline_at, now) + timedelta(minutes=minutes)
    return f"has {minutes} minutes more, until {day(after)}"


def _close(row: Opening, data: dict[str, Any], now: datetime) -> str:
    if row.closed_at:
        raise Refused("This opening was closed before.")
    return "is closed: nobody else can be invited, links that were sent go on working"


def _decisions(viewer: User) -> QuerySet[Decision]:
    rows = results.standing_decisions(viewer).select_related("candidate", "opening", "decided_by")
    rows = rows.prefetch_related("candidate__invitations")
    return rows.order_by("outcome", "candidate__name", "pk")


def _tell(row: Decision, data: dict[str, Any], now: datetime) -> str:
    if row.told_at:
        raise Refused(f"They were told on {day(row.told_at)}.")
    decided = f"{row.get_outcome_display().lower()}, decided by {row.decided_by}"
    if not data.get("tell"):
        return f"is noted as told: {decided}"
    if not row.candidate.email:
        raise Refused(results.NO_ADDRESS)
    return f"is written to, {row.candidate.email}: {decided}"


class ByMailForm(forms.Form):
    tell = by_mail_field()


TELL_RESULTS = Verb(
    title="Tell the results",
    explanation=(
        "Each of them once, in the words of the opening: “Result: an offer or the next stage” or “Result: "
        "declined” under its messages. Nobody is told by itself, whatever is decided."
    ),
    button="Tell them",
    permission=results.TELLS,
    perform=lambda row, data, by, now: results.tell(row, by_mail=data["tell"], by=by, now=now),
    form=ByMailForm,
)


def _day_later(rows: list[Invitation]) -> dict[str, Any]:
    return {"closes_at": max(row.closes_at for row in rows) + timedelta(days=1)}


INVITATIONS: dict[str, Any] = {
    "rows": _invitations,
    "label": _who,
    "list_page": "hiring_invitation_changelist",
    "plural": "invitations",
    "names": lambda row: row.candidate_id,
}
ACTS = (
    Act("remind", verbs.REMIND, foretell=_remind, button="Remind", tells=True, **INVITATIONS),
    Act(
        "send",
        verbs.SEND,
        foretell=_send,
        button="Send",
        tells=True,
        **(INVITATIONS | {"rows": _to_send}),
    ),
    Act(
        "extend",
        verbs.EXTEND_WINDOW,
        foretell=_extend,
        button="Extend",
        tells=True,
        initial=_day_later,
        perform_all=verbs.extend_all,
        **INVITATIONS,
    ),
    Act("revoke", verbs.REVOKE, foretell=_revoke, button="Revoke", **INVITATIONS),
    Act(
        "extend-time",
        EXTEND,
        rows=_attempts,
        foretell=_extend_attempt,
        label=lambda row: f"{shown_name(row)}, {row.exercise}",
        button="Extend",
        plural="attempts",
        list_page="assessments_attempt_changelist",
        initial=lambda rows: {"minutes": 15},
        names=lambda row: row.invitation.candidate_id if row.named else None,
    ),
    Act(
        "tell",
        TELL_RESULTS,
        rows=_decisions,
        foretell=_tell,
        label=lambda row: row.candidate.name,
        button="Tell",
        plural="results",
        list_page="hiring_opening_changelist",
        back_to=lambda rows: reverse("admin:board", args=[rows[0].opening_id]),
        names=lambda row: row.candidate_id,
        tells=True,
        initial=lambda rows: {"tell": True},
    ),
    Act(
        "close",
        CLOSE,
        rows=lambda viewer: openings_overseen_by(viewer),
        foretell=_close,
        label=str,
        button="Close",
        plural="openings",
        list_page="hiring_opening_changelist",
    ),
)
BY_KEY = {act.key: act for act in ACTS}
