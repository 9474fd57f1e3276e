"""Addresses of the staff's pages about attempts, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.pages import attempt, decision, feedback, rating, scoring, verbs

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def staff_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission and visibility itself; the site only asks for a sign-in."""
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path(at, page(attempt.show), name="attempt"),
        path(at + "evidence/<row:grading>/<row:position>/", attempt.chart, name="evidence-chart"),
        path(at + "runs/<uuid:run>/", page(attempt.run), name="run"),
        path(at + "runs/<uuid:run>/chart/", attempt.run_chart, name="run-chart"),
        path(at + "score/<row:round>/", page(scoring.score), name="score"),
        path(at + "score/<row:round>/rating/", rating.save, name="rating"),
        path(at + "score/<row:round>/correct/", page(verbs.correct), name="correct"),
        path(at + "feedback/", page(feedback.feedback), name="feedback"),
        path(at + "decision/", page(decision.decision), name="decision"),
        path(at + "assign/", page(verbs.assign), name="assign"),
        path(at + "assign/<row:evaluator>/withdraw/", page(verbs.withdraw), name="withdraw"),
        path(at + "extend/", page(verbs.extend), name="extend"),
        path(at + "reopen/", page(verbs.reopen), name="reopen"),
        path(at + "regrade/", page(verbs.regrade), name="regrade"),
        path(at + "notes/", page(attempt.add_note), name="note"),
    ]
