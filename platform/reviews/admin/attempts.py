"""The list of attempts: who, what, which phase, what is graded, how many scorecards are in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Case, Exists, F, OuterRef, Q, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from accounts.moments import moment
from accounts.row_numbers import row_number
from accounts.staff_admin import StaffAdmin, rows_shown, viewer
from assessments.models import Attempt
from reviews.admin.together import together
from reviews.models import Assignment
from reviews.names_seen import named_in, note_names
from reviews.phases import (
    Tag,
    for_list,
    grading_tag,
    newest_grading,
    phase_tag,
    scorecards,
    time_left,
)
from reviews.scoring.agreement import tag_of, with_known_cards
from reviews.visibility import attempts_visible_to, openings_visible_to, shown_name, with_viewer


def as_html(tag: Tag) -> str:
    return format_html('<span class="tag {}">{}</span>', tag.tone, tag.text)


class PhaseFilter(admin.SimpleListFilter):
    title = "phase"
    parameter_name = "phase"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("running", "Working now"),
            ("handed-in", "First answer handed in"),
            ("revision", "Revision open"),
            ("revised", "Revision handed in"),
        ]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case "running":
                return queryset.running(timezone.now())
            case "handed-in":
                return queryset.filter(round=1, awaiting_round=None, revision=None)
            case "revision":
                return queryset.filter(revision__isnull=False).exclude(round=2, awaiting_round=None)
            case "revised":
                return queryset.filter(round=2, awaiting_round=None)
        return queryset


class MineFilter(admin.SimpleListFilter):
    title = "who scores"
    parameter_name = "scored_by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("me", "Assigned to me"), ("nobody", "Nobody yet")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        rows = Assignment.objects.filter(attempt=OuterRef("pk"))
        match self.value():
            case "me":
                return queryset.filter(Exists(rows.filter(evaluator=viewer(request))))
            case "nobody":
                return queryset.filter(~Exists(rows))
        return queryset


class OpeningFilter(admin.SimpleListFilter):
    title = "opening"
    parameter_name = "opening"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = openings_visible_to(viewer(request)).values_list("pk", "title")
        return [(str(pk), title) for pk, title in rows]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        number = row_number(self.value() or "")
        return queryset.filter(invitation__opening=number) if number else queryset


class Columns:
    """The list's columns for one viewer at one instant."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    @admin.display(description="candidate")
    def candidate(self, attempt: Attempt) -> str:
        return shown_name(attempt)

    @admin.display(description="exercise", ordering="exercise__kind")
    def exercise(self, attempt: Attempt) -> str:
        return str(attempt.exercise)

    @admin.display(description="opening", ordering="invitation__opening__title")
    def opening(self, attempt: Attempt) -> str:
        return attempt.invitation.opening.title

    @admin.display(description="phase")
    def phase(self, attempt: Attempt) -> str:
        return as_html(phase_tag(attempt, self.now))

    @admin.display(description="time left", ordering="known_deadline")
    def left(self, attempt: Attempt) -> str:
        return "" if attempt.scores_it else time_left(attempt, self.now)  # type: ignore[attr-defined]

    @admin.display(description="started", ordering="started_at")
    def started(self, attempt: Attempt) -> str:
        hidden = attempt.scores_it  # type: ignore[attr-defined]
        return "" if hidden else moment(attempt.started_at)

    @admin.display(description="grading")
    def grading(self, attempt: Attempt) -> str:
        return as_html(grading_tag(newest_grading(attempt), self.now))

    @admin.display(description="scorecards")
    def cards(self, attempt: Attempt) -> str:
        done, asked = scorecards(attempt)
        said = f"{done} of {asked}" if asked else "nobody asked"
        differs = tag_of(attempt)
        return format_html("{} {}", said, as_html(differs)) if differs else said


@admin.register(Attempt)
class AttemptAdmin(StaffAdmin):
    intro = "One row for each exercise that somebody started. Open one to read, score and decide."
    empty = "Nobody has started yet. An attempt appears here when a candidate presses Start."
    list_filter = [PhaseFilter, OpeningFilter, MineFilter]
    search_fields = ["invitation__candidate__pseudonym"]
    actions = [together("bulk-extend-time", "Extend the time", "extend")]
    search_help_text = "Pseudonym, or name and address of a candidate you do not score."

    def get_queryset(self, request: HttpRequest) -> Any:
        user = viewer(request)
        rows = with_viewer(attempts_visible_to(user), user)
        # sorting by a deadline that is not shown would tell who has extra time
        known = Case(When(scores_it=False, then=F("deadline_at")))
        listed = for_list(rows.annotate(known_deadline=known))
        return listed.prefetch_related(with_known_cards(user))

    def get_list_display(self, request: HttpRequest) -> Any:
        at, user = Columns(timezone.now()), viewer(request)
        clock = [at.started, at.left] if user.has_perm("assessments.view_timeevent") else []
        graded = [at.grading] if user.has_perm("assessments.view_gradingrun") else []
        return [at.candidate, at.exercise, at.opening, at.phase, *clock, *graded, at.cards]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        answer = super().changelist_view(request, extra_context)
        people = named_in(rows_shown(answer))
        note_names(viewer(request), people, "attempts", now=timezone.now())
        return answer

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[Any, bool]:
        """Names find only those whom the viewer may know by name."""
        rows = queryset
        for word in search_term.split():
            known = Q(invitation__candidate__name__icontains=word)
            known |= Q(invitation__candidate__email__icontains=word)
            pseudonym = Q(invitation__candidate__pseudonym__icontains=word)
            rows = rows.filter(pseudonym | (Q(named=True) & known))
        return rows, False

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The list links to the attempt's own page."""
        attempt = self.get_object(request, object_id)
        if attempt is None:
            raise Http404
        return HttpResponseRedirect(reverse("admin:attempt", args=[attempt.pk]))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """The trail names extensions, so it is for those who may see the clock."""
        user = viewer(request)
        attempt = self.get_object(request, object_id)
        if attempt is None or attempt.scores_it or not user.has_perm("assessments.view_timeevent"):
            raise Http404
        return super().history_view(request, object_id, extra_context)

    def has_extend_permission(self, request: HttpRequest) -> bool:
        return viewer(request).has_perm("assessments.add_timeevent")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
