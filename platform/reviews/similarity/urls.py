"""Address of the passages that an answer shares with others, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.similarity.pages import findings

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def similarity_urls(site: AdminSite) -> list[URLPattern]:
    return [
        path(
            "attempts/<uuid:pk>/shared-passages/",
            site.admin_view(findings.show),
            name="similarity",
        )
    ]
