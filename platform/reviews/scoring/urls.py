"""Addresses of scorecards, pins, overrides, the order of scoring and the materials, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.scoring.pages import materials, overrides, pins, rating, score_order, scoring

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def scoring_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path(at + "score/<row:round>/", page(scoring.score), name="score"),
        path(at + "score/<row:round>/rating/", rating.save, name="rating"),
        path(at + "score/<row:round>/pin/", pins.save, name="pin"),
        path(at + "score/<row:round>/met/", page(scoring.met), name="met"),
        path(at + "override/<row:grading>/", page(overrides.override), name="override"),
        path(at + "room/", page(materials.show), name="attempt-room"),
        *materials.room_urls(at + "room/"),
        path(
            "openings/<row:pk>/exercises/<row:exercise>/",
            page(score_order.show),
            name="score-order",
        ),
    ]
