"""Candidates: who they are, what they were invited to, and agreed extra time for recruiters only."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from accounts.staff_admin import StaffAdmin, TabularInline, rows_shown, viewer
from hiring import seen_by
from hiring.models import Accommodation, Candidate
from hiring.oversight import openings_overseen_by
from reviews.admin.together import together
from reviews.board.summary import state_tags
from reviews.names_seen import note_names
from reviews.phases import for_list, phase_tag
from reviews.visibility import attempts_visible_to, candidates_visible_to, with_viewer


class AccommodationForm(forms.ModelForm):  # type: ignore[type-arg]
    """One more row; left empty, none."""

    class Meta:
        model = Accommodation
        fields = ["multiplier", "note"]
        labels = {"multiplier": "Factor", "note": "What was agreed"}
        help_texts = {"note": "No diagnosis."}


class AccommodationInline(TabularInline):
    """Append-only: the newest row counts, earlier ones stay as they were."""

    model = Accommodation
    form = AccommodationForm
    extra = 1
    fields = ["multiplier", "note"]
    template = "reviews/extra_time_rows.html"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Candidate)
class CandidateAdmin(StaffAdmin):
    inlines = [AccommodationInline]
    intro = "People who are assessed. Those who score them know the pseudonym only."
    empty = "No candidate yet. Inviting somebody adds them here."
    list_display = ["name", "address", "pseudonym", "invitation_count", "attempt_count"]
    search_fields = ["name", "email", "pseudonym"]
    readonly_fields = ["pseudonym"]
    fields = ["name", "email", "time_zone", "pseudonym"]
    change_form_template = "reviews/candidate.html"
    actions = [together("invite-many", "Invite to an opening", "invite")]

    def get_queryset(self, request: HttpRequest) -> Any:
        user = viewer(request)
        known = Q(invitations__opening__in=openings_overseen_by(user))
        return candidates_visible_to(user).annotate(
            invited_n=Count("invitations", filter=known, distinct=True),
            started_n=Count("invitations__attempts", filter=known, distinct=True),
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        answer = super().changelist_view(request, extra_context)
        people = {row.pk for row in rows_shown(answer)}
        note_names(viewer(request), people, "candidates", now=timezone.now())
        return answer

    @admin.display(description="e-mail", ordering="email")
    def address(self, candidate: Candidate) -> str:
        return candidate.email

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "email":
            field.label = "E-mail"
        return field

    @admin.display(description="invitations", ordering="invited_n")
    def invitation_count(self, candidate: Any) -> int:
        return int(candidate.invited_n)

    @admin.display(description="attempts", ordering="started_n")
    def attempt_count(self, candidate: Any) -> int:
        return int(candidate.started_n)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for row in formset.save(commit=False):
            if isinstance(row, Accommodation):
                row.granted_by, row.granted_at = viewer(request), timezone.now()
            row.save()
        formset.save_m2m()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        candidate = self.get_object(request, object_id)
        context: dict[str, Any] = {"candidate": candidate}
        if candidate is not None:
            seen_by.note(viewer(request), candidate, "candidate", now=timezone.now(), named=True)
            context |= self._came_of(request, candidate)
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The trail names agreed extra time, so it is for those who may see that."""
        if not viewer(request).has_perm("hiring.view_accommodation"):
            raise Http404
        return super().history_view(request, object_id, extra_context)

    def _came_of(self, request: HttpRequest, candidate: Candidate) -> dict[str, Any]:
        user, now = viewer(request), timezone.now()
        rows = with_viewer(attempts_visible_to(user), user)
        rows = for_list(rows.filter(invitation__candidate=candidate))
        context: dict[str, Any] = {
            "title": candidate.name,
            "attempts": [(row, phase_tag(row, now)) for row in rows],
        }
        if user.has_perm("hiring.view_invitation"):
            links = candidate.invitations.select_related("opening", "candidate")
            tags = state_tags(user, [link.pk for link in links], now)
            context["invitations"] = [(link, tags.get(link.pk, "")) for link in links]
        return context

    def has_invite_permission(self, request: HttpRequest) -> bool:
        return viewer(request).has_perm("hiring.add_invitation")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Somebody who was invited stays on record."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (obj is not None and obj.invitations.exists())
