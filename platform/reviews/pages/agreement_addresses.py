"""Addresses of the pages about evaluators: discussion, calibration, reliability, adverse impact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.pages import adverse_impact, calibration, discussion, reliability

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def agreement_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    exemplar = "calibration/<slug:kind>/<slug:name>/<slug:level>/<slug:key>/"
    return [
        path(
            "attempts/<uuid:pk>/discussion/<row:round>/",
            page(discussion.discussion),
            name="discussion",
        ),
        path("calibration/", page(calibration.listing), name="calibration"),
        path(exemplar, page(calibration.card), name="calibration-card"),
        path(exemplar + "rating/", calibration.save, name="calibration-rating"),
        path("reliability/", page(reliability.panel), name="reliability"),
        path("settings/adverse-impact/", page(adverse_impact.report), name="adverse-impact"),
    ]
