"""Invitations: invite, look at what came of it, send, replace or revoke the link.

An invitation names its candidate, so people who score them do not see it before a decision.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.utils import timezone

from accounts.audit import ADDITION, note_action
from accounts.confirmed import confirm
from accounts.models import User
from accounts.moments import moment
from accounts.row_numbers import row_number
from accounts.staff_admin import StaffAdmin, allow, rows_shown, viewer
from assessments.ahead import release
from assessments.live_slurm.served import unserved
from assessments.prepared.drawing import prepare
from hiring.invitation_verbs import EXTEND_WINDOW, REMIND, REPLACE, REVOKE, SEND
from hiring.invitations import replace_link
from hiring.invite_form import InviteForm, new_invitation
from hiring.messages.delivery import is_configured
from hiring.models import Invitation, Opening
from hiring.tokens import link_to
from reviews.admin.shown_ahead import AHEAD, shown_from
from reviews.admin.together import together
from reviews.board.summary import state_tags
from reviews.bulk.inviting import said_of
from reviews.names_seen import note_names
from reviews.visibility import candidates_visible_to, invitations_visible_to, with_viewer


class StateFilter(admin.SimpleListFilter):
    title = "window"
    parameter_name = "window"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("scheduled", "Not open yet"),
            ("open", "Open"),
            ("over", "Over"),
            ("revoked", "Revoked"),
        ]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        now, usable = timezone.now(), queryset.filter(revoked_at=None)
        match self.value():
            case "revoked":
                return queryset.exclude(revoked_at=None)
            case "scheduled":
                return usable.filter(opens_at__gt=now)
            case "open":
                return usable.filter(opens_at__lte=now, closes_at__gt=now)
            case "over":
                return usable.filter(closes_at__lte=now)
        return queryset


class Columns:
    """The list's columns at one instant: every row of a page talks about the same now."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    @admin.display(description="state")
    def state(self, row: Invitation) -> str:
        return row.state_tags  # type: ignore[attr-defined, no-any-return]

    @admin.display(description="opens", ordering="opens_at")
    def opens(self, row: Invitation) -> str:
        return moment(row.opens_at)

    @admin.display(description="closes", ordering="closes_at")
    def closes(self, row: Invitation) -> str:
        return moment(row.window_closes_at())

    @admin.display(description="sent", ordering="sent_at")
    def sent(self, row: Invitation) -> str:
        return moment(row.sent_at, "not by e-mail")

    @admin.display(description="first opened", ordering="first_opened_at")
    def opened(self, row: Invitation) -> str:
        return moment(row.first_opened_at, "not yet")


@admin.register(Invitation)
class InvitationAdmin(StaffAdmin):
    intro = "One link for each candidate and opening. Opening a link never starts the clock."
    empty = "Nobody is invited yet. “Invite a candidate” makes the first link."
    add_label = "Invite a candidate"
    search_fields = ["candidate__name", "candidate__email", "opening__title"]
    list_filter = [StateFilter, ("opening", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["candidate", "opening"]
    actions = [
        together("bulk-remind", "Remind", "change"),
        together("bulk-send", "Send by e-mail", "change"),
        together("bulk-extend", "Extend the window", "change"),
        together("bulk-revoke", "Revoke", "change"),
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = invitations_visible_to(viewer(request))
        return rows.prefetch_related("candidate__accommodations")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        answer = super().changelist_view(request, extra_context)
        rows, by, now = rows_shown(answer), viewer(request), timezone.now()
        tags = state_tags(by, [row.pk for row in rows], now)
        for row in rows:
            row.state_tags = tags.get(row.pk, "")
        note_names(by, {row.candidate_id for row in rows}, "invitations", now=now)
        return answer

    def get_list_display(self, request: HttpRequest) -> Any:
        at = Columns(timezone.now())
        return ["candidate", "opening", at.state, at.opens, at.closes, at.sent, at.opened]

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view
        return [
            path("<uuid:pk>/send/", view(self.send_view), name="invitation-send"),
            path("<uuid:pk>/remind/", view(self.remind_view), name="invitation-remind"),
            path("<uuid:pk>/extend/", view(self.extend_view), name="invitation-extend"),
            path("<uuid:pk>/new-link/", view(self.replace_view), name="invitation-replace"),
            path("<uuid:pk>/revoke/", view(self.revoke_view), name="invitation-revoke"),
            path("<uuid:pk>/ahead/", view(self.ahead_view), name="invitation-ahead"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Invite somebody; the link is in the answer and nowhere else."""
        by, now = allow(request, "hiring.add_invitation"), timezone.now()
        if request.method != "POST":
            opening = _opening_asked_for(request)
            form = InviteForm(
                initial=new_invitation(opening, now),
                opening=opening,
                candidates=candidates_visible_to(by),
            )
            return self._invite_page(request, form)
        form = InviteForm(request.POST, candidates=candidates_visible_to(by))
        made = form.send(by=by, now=now)
        before = None if made else form.made_before()
        if before:
            self.message_user(
                request,
                "This invitation was made before. Its link can only be replaced by a new one.",
            )
            return HttpResponseRedirect(_page(before))
        if made is None:
            return self._invite_page(request, form, status=400)
        invitation, token = made
        note_action(by, invitation, said_of(invitation), flag=ADDITION)
        prepare(invitation, now=now)
        warnings = [*form.warnings(), *unserved(form.cleaned_data["exercises"], now)]
        warnings += self._shown_ahead(invitation, form, by, now)
        if "send" in request.POST:
            return self._sent(request, invitation, warnings, by, now)
        return self._link_page(request, invitation, token, warnings=warnings)

    def _sent(
        self,
        request: HttpRequest,
        invitation: Invitation,
        warnings: list[str],
        by: User,
        now: datetime,
    ) -> HttpResponse:
        """Made and sent in one step: the message carries a link of its own, so none is shown."""
        said = SEND.perform(invitation, {}, by, now)
        note_action(by, invitation, said)
        self.message_user(request, said, messages.SUCCESS)
        for sentence in warnings:
            self.message_user(request, sentence, messages.WARNING)
        return HttpResponseRedirect(_page(invitation))

    def _shown_ahead(
        self, invitation: Invitation, form: InviteForm, by: User, now: datetime
    ) -> list[str]:
        """Arrange what the form asked to be shown ahead; what deserves a second thought about it."""
        opens_at = form.cleaned_data.get("ahead_at")
        if opens_at is None:
            return []
        release.arrange(invitation, opens_at=opens_at, by=by, now=now)
        note_action(by, invitation, shown_from(opens_at))
        return [sentence] if (sentence := release.usual_warning(invitation, opens_at)) else []

    def _invite_page(
        self, request: HttpRequest, form: InviteForm, status: int = 200
    ) -> HttpResponse:
        by: User = viewer(request)
        people = candidates_visible_to(by).values_list("pk", flat=True)
        note_names(by, people, "invite", now=timezone.now())
        context = {
            **self.admin_site.each_context(request),
            "title": "Invite a candidate",
            "form": form,
        }
        return render(request, "hiring/staff/invite.html", context, status=status)

    def _link_page(
        self, request: HttpRequest, invitation: Invitation, token: str, warnings: list[str]
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "The link",
            "invitation": invitation,
            "link": link_to(token),
            "warnings": warnings,
        }
        response = render(request, "hiring/staff/link.html", context)
        response["Cache-Control"] = "no-store"
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self._row(request, object_id)
        now = timezone.now()
        context = {
            **self.admin_site.each_context(request),
            "title": f"Invitation of {row.candidate}",
            "invitation": row,
            "state": row.state(now),
            "messages_sent": [(item, item.state(now)) for item in row.messages.all()[:20]],
            "mail_is_configured": is_configured(),
            "state_tags": state_tags(viewer(request), [row.pk], now).get(row.pk, ""),
            "attempts": with_viewer(
                row.attempts.select_related("exercise", "invitation__candidate"), viewer(request)
            ),
            "may_change": request.user.has_perm("hiring.change_invitation"),
            **_ahead_context(row, now),
        }
        return render(request, "hiring/staff/invitation.html", context)

    def _row(self, request: HttpRequest, pk: Any) -> Invitation:
        allow(request, "hiring.view_invitation")
        try:
            key = UUID(str(pk))
        except ValueError:
            key = UUID(int=0)
        found: Invitation = get_object_or_404(self.get_queryset(request), pk=key)
        return found

    def send_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)
        answer = confirm(request, row, SEND, back=_page(row))
        if request.method == "POST":
            prepare(row, now=timezone.now(), again=True)
        return answer

    def remind_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)
        return confirm(request, row, REMIND, back=_page(row))

    def extend_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)
        initial = {"closes_at": row.closes_at + timedelta(days=1)}
        return confirm(request, row, EXTEND_WINDOW, back=_page(row), initial=initial)

    def replace_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)

        def show_link() -> HttpResponse:
            now = timezone.now()
            token = replace_link(row, now=now)
            prepare(row, now=now, again=True)
            return self._link_page(request, row, token, warnings=[])

        return confirm(request, row, REPLACE, back=_page(row), done=show_link)

    def revoke_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)
        return confirm(request, row, REVOKE, back=_page(row))

    def ahead_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        row = self._row(request, pk)
        known = next(iter(release.releases(row).values()), None)
        initial = known.opens_at if known else max(row.opens_at - release.EARLIEST, timezone.now())
        return confirm(request, row, AHEAD, back=_page(row), initial={"opens_at": initial})

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An invitation is revoked, with a reason, and stays on record."""
        return False


def _opening_asked_for(request: HttpRequest) -> Opening | None:
    sent = request.GET.get("opening", "")
    if not sent:
        return None
    found: Opening = get_object_or_404(Opening, pk=row_number(sent))
    return found


def _ahead_context(invitation: Invitation, now: datetime) -> dict[str, Any]:
    """Of each exercise whether it can be shown ahead and what came of it."""
    known, begun = (
        release.releases(invitation),
        {row.exercise_id for row in invitation.attempts.all()},
    )
    rows = [
        (
            row,
            release.is_of_kind(row),
            release.state_of(known.get(row.pk), begun=row.pk in begun, now=now),
        )
        for row in invitation.exercises.all()
    ]
    free = any(can and row.pk not in begun for row, can, _ in rows)
    return {"exercises": rows, "may_show_ahead": free}


def _page(invitation: Invitation) -> str:
    return reverse("admin:hiring_invitation_change", args=[invitation.pk])
