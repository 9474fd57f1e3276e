"""Addresses of one attempt, its runs and its buttons, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.overview.pages import attempt, buttons, first_steps

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def overview_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path("first-steps/", page(first_steps.show), name="first-steps"),
        path(at, page(attempt.show), name="attempt"),
        path(at + "evidence/<row:grading>/<row:position>/", attempt.chart, name="evidence-chart"),
        path(at + "runs/<uuid:run>/", page(attempt.run), name="run"),
        path(at + "runs/<uuid:run>/chart/", attempt.run_chart, name="run-chart"),
        path(at + "notes/", page(attempt.add_note), name="note"),
        path(at + "assign/", page(buttons.assign), name="assign"),
        path(at + "assign/<row:evaluator>/withdraw/", page(buttons.withdraw), name="withdraw"),
        path(at + "extend/", page(buttons.extend), name="extend"),
        path(at + "reopen/", page(buttons.reopen), name="reopen"),
        path(at + "regrade/", page(buttons.regrade), name="regrade"),
        path(at + "score/<row:round>/correct/", page(buttons.correct), name="correct"),
    ]
