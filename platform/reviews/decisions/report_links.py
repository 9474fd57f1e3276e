"""Links by which somebody without an account reads one report: made, found, opened, revoked.

What is shown is worked out anew at every opening from what the maker may read at that moment, so that a link
never shows more than its maker sees, and nothing once the maker has lost access.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max
from django.urls import reverse

from accounts.confirmed import Refused
from accounts.models import User
from assessments.models import Attempt
from hiring.oversight import openings_overseen_by
from hiring.tokens import TOKEN_BYTES, digest
from reviews.answers import with_answers
from reviews.models import ReportLink, ReportLinkOpening, ReportLinkQuerySet
from reviews.visibility import attempts_visible_to, may_act_on, owed_by

MOST_DAYS, USUAL_DAYS = 30, 7
MAKES = "reviews.add_reportlink"


def make(
    attempt: Attempt, *, reader: str, days: int, by: User, now: datetime
) -> tuple[ReportLink, str]:
    """A new link and its token; the token is not stored and cannot be read again. Raises Refused."""
    if _owes(by, attempt):
        raise Refused(
            "A scorecard of yours about this person is not in yet, and until then you read no more of the "
            "report than that. Submit it first, then share the report."
        )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ReportLink.objects.create(
        attempt=attempt,
        token_hash=digest(token),
        reader=reader,
        made_by=by,
        made_at=now,
        expires_at=now + timedelta(days=days),
    )
    return link, token


def _owes(viewer: User, attempt: Attempt) -> bool:
    link = attempt.invitation
    scored = Attempt.objects.filter(
        assignments__evaluator=viewer,
        invitation__opening=link.opening_id,
        invitation__candidate=link.candidate_id,
    )
    return scored.filter(owed_by(viewer)).exists()


def address_of(token: str) -> str:
    return settings.SITE_URL + reverse("shared-report", args=[token])


def found(token: str, now: datetime) -> tuple[ReportLink, Attempt] | None:
    """The link and its attempt as its maker may see it now; None where nothing is to be shown any more."""
    rows = ReportLink.objects.live(now).select_related("made_by")
    link = rows.filter(token_hash=digest(token)).first()
    if link is None or not link.made_by.is_active or not link.made_by.has_access(now):
        return None
    maker = link.made_by
    attempt = with_answers(attempts_visible_to(maker), maker).filter(pk=link.attempt_id).first()
    if attempt is None or not maker.has_perm("reviews.view_decision"):
        return None
    return (link, attempt) if may_act_on(maker, attempt, MAKES) else None


def note_opening(link: ReportLink, *, as_file: bool, now: datetime) -> None:
    """Append that it was opened."""
    ReportLinkOpening.objects.create(link=link, as_file=as_file, at=now)


def revoke(link: ReportLink, *, by: User, now: datetime) -> bool:
    """End it now; False where it had been ended before."""
    rows = ReportLink.objects.filter(pk=link.pk, revoked_at=None)
    return rows.update(revoked_at=now, revoked_by=by) == 1


def overseen_by(viewer: User) -> ReportLinkQuerySet:
    """The links to reports of openings that are the viewer's."""
    if not viewer.has_perm("reviews.view_reportlink"):
        return ReportLink.objects.none()
    return ReportLink.objects.filter(attempt__invitation__opening__in=openings_overseen_by(viewer))


def live_links(viewer: User, now: datetime) -> list[ReportLink]:
    """Those that can be opened now, with `times` and `last` opened, and `seen_attempt` for its name."""
    rows = overseen_by(viewer).live(now).select_related("made_by")
    links = list(rows.annotate(times=Count("openings"), last=Max("openings__at")))
    seen = with_answers(attempts_visible_to(viewer), viewer)
    attempts = {row.pk: row for row in seen.filter(pk__in=[link.attempt_id for link in links])}
    for link in links:
        link.seen_attempt = attempts.get(link.attempt_id)  # type: ignore[attr-defined]
    return links
