"""Addresses of candidates' questions and of announcements, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.enquiries.pages import enquiries, impressions

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def enquiry_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    return [
        path("enquiries/", page(enquiries.listing), name="enquiries"),
        path("enquiries/<uuid:pk>/", page(enquiries.answer), name="enquiry-answer"),
        path("openings/<row:pk>/impressions/", page(impressions.impressions), name="impressions"),
        path("openings/<row:pk>/announce/", page(enquiries.announce), name="announce"),
    ]
