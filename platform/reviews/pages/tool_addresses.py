"""Addresses of the scoring tools: pins, the course of the work, the order, explain and defend, overrides,
the key and the materials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.pages import (
    defence,
    key,
    matches,
    overrides,
    pins,
    plan_year,
    room,
    score_order,
    scoring,
    spoken,
    work_history,
)

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def tool_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission and visibility itself; the site only asks for a sign-in."""
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path(at + "score/<row:round>/pin/", pins.save, name="pin"),
        path(at + "score/<row:round>/met/", page(scoring.met), name="met"),
        path(at + "course/", page(work_history.show), name="work-history"),
        path(at + "defence/", page(defence.defence), name="defence"),
        path(at + "spoken/", page(spoken.write), name="spoken-revision"),
        path(at + "override/<row:grading>/", page(overrides.override), name="override"),
        path(at + "matches/<row:grading>/", page(matches.match), name="match"),
        path(at + "key/", page(key.show), name="key"),
        path(
            at + "years/<row:grading>/<row:position>/", page(plan_year.show), name="evidence-year"
        ),
        path(at + "room/", page(room.show), name="attempt-room"),
        *room.room_urls(at + "room/"),
        path(
            "openings/<row:pk>/exercises/<row:exercise>/",
            page(score_order.show),
            name="score-order",
        ),
    ]
