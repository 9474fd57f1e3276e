"""Addresses of decisions, reports, comparisons and tables, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.decisions.pages import comparison, decision, exports, report, report_links

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def decision_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    at, of = "attempts/<uuid:pk>/", "openings/<row:pk>/"
    return [
        path(at + "decision/", page(decision.decision), name="decision"),
        path(at + "report/", page(report.report), name="report"),
        path(at + "report/link/", page(report_links.make), name="report-link"),
        path("report-links/", page(report_links.live), name="report-links"),
        path("report-links/<row:pk>/revoke/", page(report_links.revoke), name="report-link-revoke"),
        path(of + "comparison/", page(comparison.compare), name="comparison"),
        path(of + "export.csv", page(exports.as_csv), name="opening-csv"),
        path(of + "export.xlsx", page(exports.as_workbook), name="opening-xlsx"),
    ]
