"""Company profiles in the admin: the list, one profile with its versions, and where its pages are."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path

from accounts.moments import moment
from accounts.staff_admin import StaffAdmin, allow
from library import company
from library.admin import company_pages
from library.models import CompanyProfile
from scenarios.company.profile.describing import describe, totals


@admin.register(CompanyProfile)
class CompanyProfileAdmin(StaffAdmin):
    intro = (
        "The clusters that exercises are about: nodes, prices, teams, growth. An opening without one uses the "
        "default cluster, 20 nodes of 8 H100."
    )
    empty = (
        "No company profile yet. “Add company profile” starts from the default cluster or from your own "
        "files."
    )
    list_display = [
        "name",
        "summary",
        "version",
        "origin",
        "openings_count",
        "by",
        "made",
    ]
    list_select_related = ["created_by"]
    search_fields = ["name", "summary"]

    @admin.display(description="made", ordering="created_at")
    def made(self, profile: CompanyProfile) -> str:
        return moment(profile.created_at)

    @admin.display(description="by", ordering="created_by")
    def by(self, profile: CompanyProfile) -> str:
        return str(profile.created_by or "–")

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        if request.resolver_match and request.resolver_match.url_name == (
            "library_companyprofile_changelist"
        ):
            rows = rows.filter(replaced_at=None)
        return rows.annotate(openings_n=Count("openings"))

    @admin.display(description="openings", ordering="openings_n")
    def openings_count(self, row: Any) -> int:
        return int(row.openings_n)

    def get_urls(self) -> Any:
        view = self.admin_site.admin_view
        return [
            path("new/", view(company_pages.new), name="company-new"),
            path("<row:pk>/edit/", view(company_pages.edit), name="company-edit"),
            path("<row:pk>/preview/", view(company_pages.preview), name="company-preview"),
            path("<row:pk>/toml/", view(company_pages.toml), name="company-toml"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Where to begin: the default, a profile's file, or exports."""
        return company_pages.start(request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """One version, read; a change is made on the form's page and is another version."""
        by = allow(request, "library.view_companyprofile")
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        profile = company.profile_of(row)
        context = {
            "row": row,
            "totals": totals(profile),
            "tables": describe(profile),
            "versions": company.versions_of(row),
            "openings": row.openings.order_by("-created_at")
            if by.has_perm("hiring.view_opening")
            else [],
        }
        return company_pages.answer(request, "library/company.html", context, title=row.name)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Rows never change: a change is another version."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
