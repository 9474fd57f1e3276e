"""Addresses of reports, comparisons and tables, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.pages import comparison, exports, interview_score, report

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def report_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission and visibility itself; the site only asks for a sign-in."""
    page = site.admin_view
    at, of = "attempts/<uuid:pk>/", "openings/<row:pk>/"
    return [
        path(at + "report/", page(report.report), name="report"),
        path(at + "interview-score/", page(interview_score.enter), name="interview-score"),
        path(of + "comparison/", page(comparison.compare), name="comparison"),
        path(of + "export.csv", page(exports.as_csv), name="opening-csv"),
        path(of + "export.xlsx", page(exports.as_workbook), name="opening-xlsx"),
    ]
