"""Addresses of the catalogue and of trials, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.catalogue.pages import catalogue, trial

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def catalogue_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    one = "exercises/<str:kind>/<str:name>/"
    return [
        path("exercises/", page(catalogue.listing), name="catalogue"),
        path(one, page(catalogue.entry), name="catalogue-entry"),
        path(one + "trial/", page(trial.begin), name="trial-begin"),
        path("trials/<uuid:pk>/", page(trial.show), name="trial"),
        path("trials/<uuid:pk>/enter/", page(trial.enter), name="trial-enter"),
        path("trials/<uuid:pk>/keep/", page(trial.keep), name="trial-keep"),
    ]
