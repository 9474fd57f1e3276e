"""Filters of the question bank that are more than a column: topic, and how often it was asked."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from library.exposure import OFTEN
from library.models import Question


class TopicFilter(admin.SimpleListFilter):
    """The topics of the chosen section; all at once would hide the other filters."""

    title = "topic"
    parameter_name = "topic"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        section = request.GET.get("section__exact") or request.GET.get("section")
        if not section or "\x00" in section:
            return []
        rows = Question.objects.filter(section=section, replaced_at=None)
        return [(topic, topic) for topic in sorted(set(rows.values_list("topic", flat=True)))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Question]) -> QuerySet[Question]:
        return queryset.filter(topic=self.value()) if self.value() else queryset


class ExposureFilter(admin.SimpleListFilter):
    """How often a question was asked; `times_asked` comes from library.exposure."""

    title = "exposure"
    parameter_name = "asked"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("never", "Never asked"),
            ("some", f"1 to {OFTEN - 1} times"),
            ("often", f"{OFTEN} times or more"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "never":
            return queryset.filter(times_asked=0)
        if self.value() == "some":
            return queryset.filter(times_asked__gt=0, times_asked__lt=OFTEN)
        if self.value() == "often":
            return queryset.filter(times_asked__gte=OFTEN)
        return queryset


class SpareFilter(admin.SimpleListFilter):
    """Questions that are asked where time is left."""

    title = "when it is asked"
    parameter_name = "spare"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "As planned"), ("yes", "With time to spare")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Question]) -> QuerySet[Question]:
        if self.value() in ("yes", "no"):
            return queryset.filter(optional=self.value() == "yes")
        return queryset


class WriterFilter(admin.SimpleListFilter):
    """Whether a question came with the product."""

    title = "who wrote it"
    parameter_name = "own"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "Came with Headnode"), ("yes", "Your own")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Question]) -> QuerySet[Question]:
        if self.value() in ("yes", "no"):
            return queryset.filter(shipped=self.value() == "no")
        return queryset
