"""Addresses of what is kept of candidates: the schedule, the export, the erasure, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.privacy.pages import retention

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def privacy_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    of = "candidates/<row:pk>/"
    return [
        path("settings/retention/", page(retention.schedule), name="retention"),
        path(of + "export/", page(retention.export_candidate), name="candidate-export"),
        path(of + "erase/", page(retention.erase_candidate), name="candidate-erase"),
    ]
