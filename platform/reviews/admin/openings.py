"""Openings: the role, its exercises, and what came of them: invitations and attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils import timezone

from accounts.confirmed import Refused, Verb, confirm
from accounts.models import User
from accounts.staff_admin import StackedInline, StaffAdmin, viewer
from assessments.models import Attempt
from hiring.forms import ExerciseForm, ExerciseFormSet
from hiring.models import Exercise, Invitation, Mode, Opening
from hiring.policies import battery_warning, weight_warning
from library.company import DEFAULT_WORDS, note_on
from library.models import CompanyProfile
from reviews.phases import for_list, grading_tag, newest_grading, phase_tag, scorecards, time_left
from reviews.scoring.agreement import tag_of, with_known_cards
from reviews.visibility import (
    attempts_visible_to,
    candidates_visible_to,
    openings_visible_to,
    shown_name,
    with_viewer,
)

SHOWN = 50


def _close(opening: Opening, data: dict[str, Any], by: User, now: datetime) -> str:
    if opening.closed_at:
        raise Refused("This opening was closed before.")
    opening.closed_at = now
    opening.save(update_fields=["closed_at"])
    return f"Closed the opening. Reason: {data['reason']}"


def _reopen(opening: Opening, data: dict[str, Any], by: User, now: datetime) -> str:
    if not opening.closed_at:
        raise Refused("This opening is not closed.")
    opening.closed_at = None
    opening.save(update_fields=["closed_at"])
    return f"Reopened the opening. Reason: {data['reason']}"


CLOSE = Verb(
    title="Close the opening",
    explanation=(
        "Nobody can be invited for it any more. Links that were sent go on working, and what was "
        "handed in can still be scored and decided."
    ),
    button="Close the opening",
    permission="hiring.change_opening",
    perform=_close,
)
REOPEN = Verb(
    title="Reopen the opening",
    explanation="Candidates can be invited for it again.",
    button="Reopen the opening",
    permission="hiring.change_opening",
    perform=_reopen,
)


class ExerciseInline(StackedInline):
    model = Exercise
    form = ExerciseForm
    formset = ExerciseFormSet
    extra = 0
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("pack_name", "level", "mode", "answer_form"),
                    ("limit_minutes", "revision_minutes", "hidden_workloads"),
                )
            },
        ),
        (
            "What candidates may use",
            {"classes": ("collapse",), "fields": ("references_policy", "assistants_policy")},
        ),
    )

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        return 0 if obj else 1


@admin.register(Opening)
class OpeningAdmin(StaffAdmin):
    inlines = [ExerciseInline]
    intro = "A role being hired for, with the exercises its candidates work on."
    empty = "No opening yet. “Add opening” starts with the role and its exercise."
    list_display = [
        "title",
        "level",
        "hiring_manager",
        "exercise_count",
        "invited",
        "started",
        "is_open",
    ]
    list_filter = ["level", ("closed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["hiring_manager"]
    search_fields = ["title", "description"]
    change_form_template = "reviews/opening.html"
    fieldsets = (
        (None, {"fields": ("title", ("level", "hiring_manager"), "description")}),
        ("Cluster", {"fields": ("company",)}),
        ("Evaluation", {"fields": ("work_sample_weight",)}),
        (
            "Several evaluators",
            {"fields": (("levels_apart", "means_apart"), "calibration")},
        ),
        ("Retention", {"fields": ("retention_months",)}),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        narrowed = openings_visible_to(viewer(request))
        return narrowed.annotate(
            exercises_n=_counted(Exercise.objects.filter(opening=OuterRef("pk")), "opening"),
            invited_n=_counted(
                Invitation.objects.filter(opening=OuterRef("pk"), revoked_at=None), "opening"
            ),
            started_n=_counted(
                Attempt.objects.filter(invitation__opening=OuterRef("pk")), "invitation__opening"
            ),
        )

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "hiring_manager":
            kwargs["queryset"] = User.objects.filter(is_active=True, is_staff=True)
        if db_field.name == "company":
            kept = Q(openings=request.resolver_match.kwargs.get("object_id"))
            kwargs["queryset"] = CompanyProfile.objects.filter(
                Q(replaced_at=None) | kept
            ).distinct()
            kwargs["empty_label"] = DEFAULT_WORDS
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "description":
            kwargs["widget"] = forms.Textarea(attrs={"rows": 4})
        if db_field.name == "calibration":
            kwargs["required"] = False  # what is not sent stays as it is
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description="exercises", ordering="exercises_n")
    def exercise_count(self, opening: Any) -> int:
        return int(opening.exercises_n)

    @admin.display(description="invited", ordering="invited_n")
    def invited(self, opening: Any) -> int:
        return int(opening.invited_n)

    @admin.display(description="attempts", ordering="started_n")
    def started(self, opening: Any) -> int:
        return int(opening.started_n)

    @admin.display(description="open", boolean=True, ordering="closed_at")
    def is_open(self, opening: Opening) -> bool:
        return opening.closed_at is None

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        for sentence in warnings_about(form.instance):
            messages.warning(request, sentence)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        opening = self.get_object(request, object_id)
        context: dict[str, Any] = {"opening": opening}
        if opening is not None:
            context |= came_of(opening, viewer(request), timezone.now())
            context["title"] = opening.title
            context["warnings"] = warnings_about(opening)
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """A new opening's next step is an invitation, which its page offers."""
        return HttpResponseRedirect(_page(obj))

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view
        return [
            path("<row:pk>/close/", view(self.close_view), name="opening-close"),
            path("<row:pk>/reopen/", view(self.reopen_view), name="opening-reopen"),
            *super().get_urls(),
        ]

    def close_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        opening = get_object_or_404(Opening, pk=pk)
        return confirm(request, opening, CLOSE, back=_page(opening))

    def reopen_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        opening = get_object_or_404(Opening, pk=pk)
        return confirm(request, opening, REOPEN, back=_page(opening))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An opening that somebody was invited for stays on record."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (obj is not None and obj.invitations.exists())


def _counted(rows: QuerySet[Any], by: str) -> Coalesce:
    """How many rows there are: counted each for itself, where joins would multiply them."""
    total = rows.order_by().values(by).annotate(n=Count("*")).values("n")
    return Coalesce(Subquery(total), 0)


def _page(opening: Opening) -> str:
    return reverse("admin:hiring_opening_change", args=[opening.pk])


def warnings_about(opening: Opening) -> list[str]:
    """Sentences about the weight and about exercises that are too long for one sitting."""
    found = [weight_warning(opening.work_sample_weight)]
    on_site = [
        exercise.limit_minutes + exercise.revision_minutes
        for exercise in opening.exercises.all()
        if exercise.mode != Mode.TAKE_HOME
    ]
    found.append(battery_warning(on_site, take_home=False))
    found += clusters_of_their_own(opening)
    return [sentence for sentence in found if sentence]


def clusters_of_their_own(opening: Opening) -> list[str]:
    """A sentence for each exercise that shows less of the company profile than its cluster."""
    if opening.company is None:
        return []
    rows = opening.exercises.all()
    return [
        f"{row}: {note[:1].lower()}{note[1:]}" for row in rows if (note := note_on(row.pack_name))
    ]


def came_of(opening: Opening, user: User, now: datetime) -> dict[str, Any]:
    """The opening's invitations and attempts, as far as this viewer may see them."""
    attempts = with_viewer(attempts_visible_to(user), user).filter(invitation__opening=opening)
    sees_time = user.has_perm("assessments.view_timeevent")
    context: dict[str, Any] = {
        "attempts": [_attempt_row(row, now, sees_time) for row in _listed(attempts, user)[:SHOWN]],
        "attempt_count": attempts.count(),
        "sees_time": sees_time,
        "sees_grading": user.has_perm("assessments.view_gradingrun"),
    }
    if user.has_perm("hiring.view_invitation"):
        links = Invitation.objects.filter(
            opening=opening, candidate__in=candidates_visible_to(user)
        )
        links = links.select_related("candidate").prefetch_related("candidate__accommodations")
        context["invitations"] = [(link, link.state(now)) for link in links[:SHOWN]]
        context["invitation_count"] = links.count()
    return context


def _listed(attempts: QuerySet[Attempt], user: User) -> QuerySet[Attempt]:
    return for_list(attempts).prefetch_related(with_known_cards(user))


def _attempt_row(attempt: Attempt, now: datetime, sees_time: bool) -> dict[str, Any]:
    hidden = not sees_time or attempt.scores_it  # type: ignore[attr-defined]
    return {
        "attempt": attempt,
        "name": shown_name(attempt),
        "phase": phase_tag(attempt, now),
        "left": "" if hidden else time_left(attempt, now),
        "grading": grading_tag(newest_grading(attempt), now),
        "cards": scorecards(attempt),
        "differs": tag_of(attempt),
    }
