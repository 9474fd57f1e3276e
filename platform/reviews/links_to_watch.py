"""What My work shows of invitations and openings: links to watch, mail that was lost, boards."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.urls import reverse

from accounts.models import User
from assessments.jobs import Result
from assessments.models import Attempt, PreparedVariant
from hiring.models import Message
from hiring.oversight import sees_every_opening
from reviews.messages.results import openings_to_tell
from reviews.messages.visible import messages_visible_to
from reviews.phases import Tag
from reviews.visibility import invitations_visible_to, openings_visible_to
from reviews.work_rows import INVITATIONS, MESSAGES, OPENINGS, SHOWN, Row, Section

SOON = timedelta(hours=48)
BOUNCED = timedelta(days=14)
TROUBLE_SHOWN = 150  # characters


def variants_failed(viewer: User, now: datetime) -> Section:
    """Exercises that nobody can start because their materials could not be built."""
    failed = PreparedVariant.objects.filter(
        invitation__in=invitations_visible_to(viewer).filter(revoked_at=None, closes_at__gt=now),
        result=Result.INFRASTRUCTURE_ERROR,
    ).select_related("invitation__candidate", "exercise")
    rows = [
        Row(
            item.invitation.candidate.name,
            f"{item.exercise}: {item.trouble[:TROUBLE_SHOWN]}",
            reverse("admin:hiring_invitation_change", args=[item.invitation_id]),
            Tag("failed on our side", "bad"),
            item.finished_at,
            "failed",
            item.invitation.candidate_id,
        )
        for item in failed[:SHOWN]
    ]
    title = "Materials that could not be prepared"
    more = max(0, failed.count() - SHOWN) if rows else 0
    return Section("unprepared", title, rows, more, INVITATIONS)


def messages_refused(viewer: User, now: datetime) -> Section:
    """Messages to candidates that did not reach them, unless the same was sent since."""
    since = Message.objects.filter(
        candidate=OuterRef("candidate"),
        occasion=OuterRef("occasion"),
        queued_at__gt=OuterRef("queued_at"),
    )
    lost = messages_visible_to(viewer).filter(
        ~Exists(since), refused_at__gt=now - BOUNCED, recipient=None
    )
    rows = [
        Row(
            str(item.candidate),
            f"{item.subject}: {item.answer[:TROUBLE_SHOWN]}",
            reverse("admin:message", args=[item.pk]),
            Tag("not delivered", "bad"),
            item.refused_at,
            "refused",
        )
        for item in lost.select_related("candidate")[:SHOWN]
    ]
    title = "Messages that did not arrive"
    more = max(0, lost.count() - SHOWN) if rows else 0
    return Section("refused", title, rows, more, MESSAGES)


def invitations(viewer: User, now: datetime) -> Section:
    """Links that nobody opened yet, or that close soon without anything started."""
    usable = invitations_visible_to(viewer).filter(
        ~Exists(Attempt.objects.filter(invitation=OuterRef("pk"))),
        revoked_at=None,
        closes_at__gt=now,
    )
    waiting = usable.filter(Q(first_opened_at=None) | Q(closes_at__lte=now + SOON))
    waiting = waiting.select_related("candidate", "opening").order_by("closes_at")
    rows = [
        Row(
            item.candidate.name,
            str(item.opening),
            reverse("admin:hiring_invitation_change", args=[item.pk]),
            Tag("opened", "info") if item.first_opened_at else Tag("not opened yet", "warn"),
            item.closes_at,
            "closes",
            item.candidate_id,
        )
        for item in waiting[:SHOWN]
    ]
    more = max(0, waiting.count() - SHOWN)
    return Section("invitations", "Invitations to watch", rows, more, INVITATIONS, side=True)


def results_to_tell(viewer: User, now: datetime) -> Section:
    """Openings in which somebody was decided about and does not know it yet."""
    found = openings_to_tell(viewer, now)
    rows = [
        Row(
            opening.title,
            f"{number} candidate{'' if number == 1 else 's'} decided",
            reverse("admin:opening-results", args=[opening.pk]),
            Tag("not told yet", "warn"),
        )
        for opening, number in found[:SHOWN]
    ]
    more = max(0, len(found) - SHOWN)
    return Section("results", "Results to tell", rows, more, OPENINGS)


def boards(viewer: User, now: datetime) -> Section:
    """The openings that go on, each with its board."""
    people = Count("invitations", filter=Q(invitations__revoked_at=None))
    rows = openings_visible_to(viewer).filter(closed_at=None).annotate(people=people)
    found = list(rows[: SHOWN + 1])
    shown = [
        Row(
            item.title,
            f"{item.people} invited" if sees_every_opening(viewer) else "",
            reverse("admin:board", args=[item.pk]),
        )
        for item in found[:SHOWN]
    ]
    more = rows.count() - SHOWN if len(found) > SHOWN else 0
    return Section("boards", "Boards", shown, more, OPENINGS, side=True)
