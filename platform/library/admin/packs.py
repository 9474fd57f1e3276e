"""Scenario packs in the admin: which versions were loaded. They are changed on disk, never here."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.staff_admin import StaffAdmin
from library.models import PackVersion


@admin.register(PackVersion)
class PackVersionAdmin(StaffAdmin):
    intro = "Exercises as they were loaded. An attempt keeps the version it was started with."
    empty = "No pack is loaded yet: run “python manage.py load_library”."
    list_display = ["title", "name", "kind", "version", "level_names", "loaded_at"]
    list_filter = ["kind"]
    search_fields = ["title", "name"]

    @admin.display(description="levels")
    def level_names(self, pack: PackVersion) -> str:
        return ", ".join(pack.levels)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
