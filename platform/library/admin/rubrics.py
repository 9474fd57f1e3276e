"""Rubrics in the admin: all five levels readable at once; a used one is duplicated, not changed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.audit import ADDITION, note_action
from accounts.staff_admin import StackedInline, StaffAdmin, allow, say_no_choice
from library.models import HIGHEST, LOWEST, Criterion, CriterionLevel, Rubric
from library.packs import pack_of
from library.rubrics import duplicate, is_fixed
from scenarios.packs import PackNotFound

LEVELS = range(LOWEST, HIGHEST + 1)
MEANING = {1: "well below", 2: "below", 3: "meets the bar", 4: "above", 5: "outstanding"}


def _level_field(value: int) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": 2})
    return forms.CharField(label=f"{value}: {MEANING[value]}", widget=widget)


class CriterionForm(forms.ModelForm):  # type: ignore[type-arg]
    """A criterion together with its five described levels."""

    level_1 = _level_field(1)
    level_2 = _level_field(2)
    level_3 = _level_field(3)
    level_4 = _level_field(4)
    level_5 = _level_field(5)

    class Meta:
        model = Criterion
        fields = ["title", "key", "dimension", "round", "weight", "weight_reason", "position"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for level in self.instance.levels.all():
                self.fields[f"level_{level.value}"].initial = level.text

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("weight") not in (None, 1) and not data.get("weight_reason"):
            self.add_error("weight_reason", "Say why this weight differs from 1.")
        return data


class CriterionInline(StackedInline):
    model = Criterion
    form = CriterionForm
    extra = 0
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("title", "key"),
                    ("dimension", "round", "position"),
                    ("weight", "weight_reason"),
                    *(f"level_{value}" for value in LEVELS),
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("levels")

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        say_no_choice(field)
        return field


def title_of(pack_name: str) -> str:
    """The exercise's title; the folder's name where the pack is gone."""
    try:
        return pack_of(pack_name).title
    except PackNotFound:
        return pack_name


class PackFilter(admin.SimpleListFilter):
    title = "exercise"
    parameter_name = "pack"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        names = set(Rubric.objects.order_by().values_list("pack_name", flat=True))
        return sorted(((name, title_of(name)) for name in names), key=lambda pair: pair[1])

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        value = self.value() or ""
        return queryset.filter(pack_name=value) if value and "\x00" not in value else queryset


@admin.register(Rubric)
class RubricAdmin(StaffAdmin):
    inlines = [CriterionInline]
    intro = "Criteria with five described levels. New scorecards use the newest version."
    empty = "No rubric yet: “python manage.py load_library” brings those of the scenario packs."
    list_display = ["title", "exercise", "level", "version", "criteria_count", "origin"]
    list_filter = ["level", PackFilter]
    search_fields = ["title", "pack_name"]
    fields = ["title"]
    change_form_template = "admin/library/rubric/change_form.html"

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).select_related("created_by", "based_on")
        return rows.prefetch_related("criteria__levels")

    @admin.display(description="exercise", ordering="pack_name")
    def exercise(self, rubric: Rubric) -> str:
        return title_of(rubric.pack_name)

    @admin.display(description="criteria")
    def criteria_count(self, rubric: Rubric) -> int:
        return len(rubric.criteria.all())

    @admin.display(description="from")
    def origin(self, rubric: Rubric) -> str:
        return f"written by {rubric.created_by}" if rubric.created_by else "scenario pack"

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view(require_POST(self.duplicate_view))
        return [path("<row:pk>/duplicate/", view, name="rubric-duplicate"), *super().get_urls()]

    def duplicate_view(self, request: HttpRequest, pk: int | UUID) -> HttpResponse:
        by = allow(request, "library.add_rubric")
        rubric = get_object_or_404(Rubric, pk=pk)
        copy, made = duplicate(rubric, by=by, now=timezone.now())
        if made:
            note_action(by, copy, f"Duplicated from version {rubric.version}.", flag=ADDITION)
        self.message_user(
            request,
            f"This is version {copy.version}. Change what you need; it is used from now on.",
        )
        return HttpResponseRedirect(reverse("admin:library_rubric_change", args=[copy.pk]))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        rubric = self.get_object(request, object_id)
        context = {"rubric": rubric, "fixed": rubric is not None and is_fixed(rubric)}
        if rubric is not None:
            context["title"] = str(rubric)
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if self.has_change_permission(request, obj) else []

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        for row in formset.forms:
            if row.cleaned_data and not row.cleaned_data.get("DELETE") and row.instance.pk:
                for value in LEVELS:
                    CriterionLevel.objects.update_or_create(
                        criterion=row.instance,
                        value=value,
                        defaults={"text": row.cleaned_data[f"level_{value}"]},
                    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A rubric begins as a copy of another, so that levels are never left empty."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and not (obj is not None and is_fixed(obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
