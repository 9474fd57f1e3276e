"""Addresses of explain and defend, feedback, the revision by speech and the discussion, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.feedback.pages import defence, discussion, feedback, spoken

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def feedback_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path(at + "defence/", page(defence.defence), name="defence"),
        path(at + "feedback/", page(feedback.feedback), name="feedback"),
        path(at + "spoken/", page(spoken.write), name="spoken-revision"),
        path(at + "discussion/<row:round>/", page(discussion.discussion), name="discussion"),
    ]
