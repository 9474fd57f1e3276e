"""Openings: the role, its exercises, and what came of them: invitations and attempts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST

from accounts.confirmed import confirm
from accounts.models import User
from accounts.row_numbers import row_number
from accounts.staff_admin import StackedInline, StaffAdmin, allow, viewer
from assessments.live_slurm.served import unserved
from assessments.models import Attempt
from hiring import demands
from hiring.exercise_form import ExerciseForm, ExerciseFormSet
from hiring.models import Exercise, Invitation, Opening
from hiring.opening_verbs import CLOSE, REOPEN
from hiring.oversight import may_be_named
from library.catalogue import entries
from library.company import DEFAULT_WORDS, note_on
from library.models import CompanyProfile, Seniority
from reviews.admin.together import together
from reviews.board.summary import state_tags
from reviews.names_seen import named_in, note_names
from reviews.phases import for_list, grading_tag, newest_grading, phase_tag, scorecards, time_left
from reviews.scoring.agreement import tag_of, with_known_cards
from reviews.visibility import (
    attempts_visible_to,
    invitations_visible_to,
    openings_visible_to,
    shown_name,
    with_viewer,
)

SHOWN = 50
DEFAULT_WEIGHT = 50
STAYS = {
    "calibration",
    "answer_languages",
    "language",
    "evaluators_per_answer",
    "own_work",
    "own_work_minutes",
}
"""What an opening keeps where a form does not send it."""


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
                    "pack_name",
                    ("level", "mode", "answer_form"),
                    ("limit_minutes", "revision_minutes", "hidden_workloads"),
                )
            },
        ),
        (
            "What candidates may use",
            {
                "classes": ("collapse",),
                "fields": ("references_policy", "assistants", "assistants_policy"),
            },
        ),
    )

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        return 0 if obj and not chosen_in_catalogue(request) else 1


def chosen_in_catalogue(request: HttpRequest) -> dict[str, str]:
    """The exercise that the catalogue's button brought along; {} where there is none."""
    name, level = request.GET.get("pack", ""), request.GET.get("level", "")
    if request.method != "GET" or name not in {entry.name for entry in entries()}:
        return {}
    return {"pack_name": name} | ({"level": level} if level in Seniority.values else {})


class OpenFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "is"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", "Open"), ("closed", "Closed")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if self.value() in ("open", "closed"):
            return queryset.filter(closed_at__isnull=self.value() == "open")
        return queryset


IN_WORDS = {"hiring_manager": "led_by", "company": "of_company"}
"""Relations whose own pages are not for everybody who may look at an opening -> the same as text."""


def _in_words(fields: Iterable[Any]) -> list[Any]:
    """Fields and rows of fields."""
    return [
        tuple(_in_words(one)) if isinstance(one, tuple) else IN_WORDS.get(one, one)
        for one in fields
    ]


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
        "board",
    ]
    list_filter = [OpenFilter, "level"]
    list_select_related = ["hiring_manager"]
    search_fields = ["title", "description"]
    change_form_template = "reviews/opening.html"
    actions = [together("bulk-close", "Close", "change")]
    fieldsets = (
        (None, {"fields": ("title", ("level", "hiring_manager"), "description")}),
        ("Cluster", {"fields": ("company",)}),
        ("Languages", {"classes": ("collapse",), "fields": ("answer_languages", "language")}),
        ("Evaluation", {"fields": ("work_sample_weight",)}),
        (
            "Several evaluators",
            {
                "classes": ("collapse",),
                "fields": (
                    "evaluators_per_answer",
                    ("levels_apart", "means_apart"),
                    "calibration",
                ),
            },
        ),
        (
            "Whose work it is",
            {"classes": ("collapse",), "fields": (("own_work", "own_work_minutes"),)},
        ),
        (
            "The same exercise again",
            {"classes": ("collapse",), "fields": ("repeat_months",)},
        ),
        ("Retention", {"classes": ("collapse",), "fields": ("retention_months",)}),
    )

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Any, inline: Any, prefix: str
    ) -> dict[str, Any]:
        kwargs = super().get_formset_kwargs(request, obj, inline, prefix)
        if chosen := chosen_in_catalogue(request):
            kwargs["initial"] = [chosen]
        return kwargs

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """For those who may only look, without links to pages that are not open to them."""
        sets = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return sets
        return [(title, {**more, "fields": _in_words(more["fields"])}) for title, more in sets]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *IN_WORDS.values())

    @admin.display(description="hiring manager", empty_value="–")
    def led_by(self, opening: Opening) -> str | None:
        return str(opening.hiring_manager) if opening.hiring_manager else None

    @admin.display(description="company")
    def of_company(self, opening: Opening) -> str:
        return str(opening.company or DEFAULT_WORDS)

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
            opening = request.resolver_match.kwargs.get("object_id")
            kept = Q(openings=opening) if opening else Q(pk=None)
            kwargs["queryset"] = User.objects.filter(may_be_named(timezone.now()) | kept).distinct()
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
        if db_field.name in STAYS:
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

    @admin.display(description="state", ordering="closed_at")
    def is_open(self, opening: Opening) -> str:
        if opening.closed_at:
            return format_html('<span class="tag">{}</span>', "Closed")
        return format_html('<span class="tag good">{}</span>', "Open")

    @admin.display(description="board")
    def board(self, opening: Opening) -> str:
        url = reverse("admin:board", args=[opening.pk])
        return format_html('<a href="{}">Board<span class="unseen"> of {}</span></a>', url, opening)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.created_at = timezone.now()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        for sentence in warnings_about(form.instance):
            messages.warning(request, sentence)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        context = {"demand": demands.demand_of([], DEFAULT_WEIGHT)}
        return super().add_view(request, form_url, context | (extra_context or {}))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        opening = self.get_object(request, object_id)
        context: dict[str, Any] = {"opening": opening}
        if opening is not None:
            context |= came_of(opening, viewer(request), timezone.now())
            context["title"] = opening.title
            context["warnings"] = standing_warnings(opening, timezone.now())
            context["demand"] = demands.of_opening(opening)
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        """A new opening's next step is an invitation, which its page offers."""
        return HttpResponseRedirect(_page(obj))

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view
        return [
            path("<row:pk>/close/", view(self.close_view), name="opening-close"),
            path("<row:pk>/reopen/", view(self.reopen_view), name="opening-reopen"),
            path("demand/", view(require_POST(self.demand_view)), name="opening-demand"),
            *super().get_urls(),
        ]

    def demand_view(self, request: HttpRequest) -> JsonResponse:
        """What the form asks of a candidate as it stands; nothing is saved."""
        by = allow(request, "hiring.change_opening")
        sent = request.POST.dict()
        keys = [row_number(str(value)) for key, value in sent.items() if key.endswith("-id")]
        rows = Exercise.objects.filter(
            pk__in=filter(None, keys), opening__in=openings_visible_to(by)
        )
        demand, usual = demands.asked_for(sent, {str(row.pk): row for row in rows})
        html = render_to_string("hiring/staff/demand.html", {"demand": demand})
        return JsonResponse(
            {"html": html, "usual": {key: asdict(one) for key, one in usual.items()}}
        )

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
    return [*demands.of_opening(opening).warnings, *standing_warnings(opening, timezone.now())]


def standing_warnings(opening: Opening, now: datetime) -> list[str]:
    """Sentences about its exercises that hold before anybody is invited."""
    return [*clusters_of_their_own(opening), *unserved(opening.exercises.all(), now)]


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
    listed = list(_listed(attempts, user)[:SHOWN])
    people = named_in(listed)
    context: dict[str, Any] = {
        "attempts": [_attempt_row(row, now, sees_time) for row in listed],
        "attempt_count": attempts.count(),
        "sees_time": sees_time,
        "sees_grading": user.has_perm("assessments.view_gradingrun"),
    }
    if user.has_perm("hiring.view_invitation"):
        links = invitations_visible_to(user).filter(opening=opening)
        links = links.select_related("candidate").prefetch_related("candidate__accommodations")
        shown = list(links[:SHOWN])
        tags = state_tags(user, [link.pk for link in shown], now)
        context["invitations"] = [(link, tags.get(link.pk, "")) for link in shown]
        context["invitation_count"] = links.count()
        people |= {link.candidate_id for link, _ in context["invitations"]}
    note_names(user, people, "opening", now=now)
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
