"""The list of who looked at whose pages: part of the audit trail, and as little to be changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.moments import moment
from accounts.staff_admin import StaffAdmin
from hiring.models import Sighting
from reviews.page_names import called


class SeenByFilter(admin.RelatedOnlyFieldListFilter):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "who looked"


@admin.register(Sighting)
class SightingAdmin(StaffAdmin):
    intro = (
        "Who of the staff opened which page about a candidate, newest first; once an hour at most."
    )
    empty = "Nobody has opened a candidate's page yet."
    list_display = ["when", "who", "candidate", "which"]
    list_display_links = None
    counted_as = "entries"
    fields = ["when", "who", "candidate", "which", "showed"]
    readonly_fields = ["when", "who", "candidate", "which", "showed"]
    list_filter = [("by", SeenByFilter)]
    list_select_related = ["by", "candidate"]
    search_fields = ["candidate__name", "candidate__pseudonym", "by__username", "page"]

    def _list_title(self) -> str:
        return "Who saw whom"

    @admin.display(description="when", ordering="at")
    def when(self, row: Sighting) -> str:
        return moment(row.at)

    @admin.display(description="who", ordering="by")
    def who(self, row: Sighting) -> str:
        return str(row.by)

    @admin.display(description="page", ordering="page")
    def which(self, row: Sighting) -> str:
        return called(row.page)

    @admin.display(description="the name was on it")
    def showed(self, row: Sighting) -> str:
        if row.named is None:
            return "not noted"
        return "yes" if row.named else "no"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
