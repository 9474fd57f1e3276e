"""Addresses of replays, the course of the work, the key and how answers were read, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.evidence.pages import corrections, key, replays, scaling_year, work_history

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def evidence_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path(
            at + "evidence/<row:grading>/<row:position>/replay.svg",
            page(replays.picture),
            name="evidence-picture",
        ),
        path(at + "compare/", page(replays.compare), name="compare"),
        path(at + "reference/<str:workload>/", replays.reference_chart, name="reference-chart"),
        path(at + "gradings/", replays.gradings, name="gradings"),
        path(at + "runs/<uuid:run>/replay.svg", page(replays.run_picture), name="run-picture"),
        path(
            at + "years/<row:grading>/<row:position>/",
            page(scaling_year.show),
            name="evidence-year",
        ),
        path(at + "course/", page(work_history.show), name="work-history"),
        path(at + "key/", page(key.show), name="key"),
        path(at + "matches/<row:grading>/", page(corrections.match), name="match"),
    ]
