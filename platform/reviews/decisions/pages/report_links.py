"""Sharing a report by a link, the list of live links, and ending one."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.confirmed import Refused, Verb, confirm
from accounts.models import User
from accounts.staff_admin import allow
from hiring.models import one_line
from reviews.access import own_attempt_for, page_context
from reviews.decisions import report_links
from reviews.models import ReportLink
from reviews.names_seen import note_names
from reviews.visibility import shown_name


class LinkForm(forms.Form):
    """For whom, and for how long."""

    reader = forms.CharField(
        label="For whom",
        max_length=120,
        validators=[one_line],
        help_text="A name or an address, for the list of live links. Nothing is sent to it.",
    )
    days = forms.IntegerField(
        label="Days",
        min_value=1,
        max_value=report_links.MOST_DAYS,
        initial=report_links.USUAL_DAYS,
        help_text="Then the link opens nothing any more. At most 30.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


@never_cache
def make(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Ask for whom and how long, then show the link this once."""
    _, attempt = own_attempt_for(request, pk, report_links.MAKES)
    made: list[tuple[ReportLink, str]] = []

    def perform(row: Any, data: dict[str, Any], by: User, now: datetime) -> str:
        reader, days = data["reader"], data["days"]
        made.append(report_links.make(attempt, reader=reader, days=days, by=by, now=now))
        return f"Made a link to the report for {reader}, for {days} days."

    def done() -> HttpResponse:
        link, token = made[0]
        context = page_context(request, attempt, "The link to the report")
        context |= {"link": link, "address": report_links.address_of(token)}
        return render(request, "reviews/report_link.html", context)

    verb = Verb(
        title="Share the report by a link",
        explanation=(
            "Whoever has the link reads this report as you may read it at that moment, as a page and as a PDF "
            "file, without an account and nothing else of the site. Each opening is noted. The link ends by "
            "itself, when you revoke it, or when you lose access."
        ),
        button="Make the link",
        permission=report_links.MAKES,
        perform=perform,
        form=LinkForm,
    )
    back = reverse("admin:report", args=[pk])
    return confirm(request, attempt, verb, back=back, done=done, **_initial(request))


def _initial(request: HttpRequest) -> dict[str, Any]:
    return {} if request.method == "POST" else {"initial": {"days": report_links.USUAL_DAYS}}


@never_cache
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Every link that can be opened now, with its openings."""
    viewer, now = allow(request, "reviews.view_reportlink"), timezone.now()
    links = report_links.live_links(viewer, now)
    rows = [(link, link.seen_attempt) for link in links]  # type: ignore[attr-defined]
    named = {row.invitation.candidate_id for _, row in rows if row and row.named}
    note_names(viewer, named, "report-links", now=now)
    context = {
        **admin.site.each_context(request),
        "title": "Shared reports",
        "rows": [(link, row, shown_name(row) if row else "") for link, row in rows],
    }
    return render(request, "reviews/report_links.html", context)


def _revoke(link: ReportLink, data: dict[str, Any], by: User, now: datetime) -> str:
    if not report_links.revoke(link, by=by, now=now):
        raise Refused("This link was revoked before.")
    return "Revoked a link to a report."


REVOKE = Verb(
    title="Revoke the link",
    explanation=(
        "It opens nothing from now on, and it cannot be brought back. What was read or printed stays with "
        "whoever read it; the list of its openings stays here."
    ),
    button="Revoke the link",
    permission="reviews.change_reportlink",
    perform=_revoke,
    form=forms.Form,
    grave=True,
)


@never_cache
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    viewer = allow(request, "reviews.change_reportlink")
    link = get_object_or_404(report_links.overseen_by(viewer), pk=pk)
    return confirm(request, link, REVOKE, back=reverse("admin:report-links"))
