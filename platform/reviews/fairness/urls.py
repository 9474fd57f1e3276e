"""Addresses of calibration, reliability and adverse impact, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.fairness.pages import adverse_impact, calibration, reliability

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def fairness_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    exemplar = "calibration/<slug:kind>/<slug:name>/<slug:level>/<slug:key>/"
    return [
        path("calibration/", page(calibration.listing), name="calibration"),
        path(exemplar, page(calibration.card), name="calibration-card"),
        path(exemplar + "rating/", calibration.save, name="calibration-rating"),
        path("reliability/", page(reliability.panel), name="reliability"),
        path("settings/adverse-impact/", page(adverse_impact.report), name="adverse-impact"),
    ]
