"""Scenario packs in the admin: which versions were loaded. They are changed on disk, never here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.moments import moment
from accounts.staff_admin import StaffAdmin
from library.models import PackVersion
from scenarios.packs import PRACTICE


@admin.register(PackVersion)
class PackVersionAdmin(StaffAdmin):
    intro = "Exercises as they were loaded. An attempt keeps the version it was started with."
    empty = "No pack is loaded yet: run “python manage.py load_library”."
    list_display = ["title", "name", "kind", "version", "level_names", "loaded"]
    list_filter = ["kind"]
    search_fields = ["title", "name"]

    fields = ["title", "name", "kind", "version", "level_names", "loaded", "digest"]
    readonly_fields = ["level_names", "loaded"]

    @admin.display(description="loaded", ordering="loaded_at")
    def loaded(self, pack: PackVersion) -> str:
        return moment(pack.loaded_at)

    @admin.display(description="levels")
    def level_names(self, pack: PackVersion) -> str:
        return ", ".join(pack.levels)

    def get_queryset(self, request: HttpRequest) -> QuerySet[PackVersion]:
        """Without the miniatures of practice, by which nobody is assessed."""
        return super().get_queryset(request).exclude(name__startswith=f"{PRACTICE}/")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
