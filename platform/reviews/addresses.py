"""Addresses of the staff's pages about attempts, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.pages import attempt, decision, feedback, rating, replays, retention, scoring, verbs
from reviews.pages.agreement_addresses import agreement_urls
from reviews.pages.interview_addresses import interview_urls
from reviews.pages.report_addresses import report_urls
from reviews.pages.tool_addresses import tool_urls

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def staff_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission and visibility itself; the site only asks for a sign-in."""
    page = site.admin_view
    at = "attempts/<uuid:pk>/"
    return [
        path("settings/retention/", page(retention.schedule), name="retention"),
        path(
            "candidates/<row:pk>/export/", page(retention.export_candidate), name="candidate-export"
        ),
        path("candidates/<row:pk>/erase/", page(retention.erase_candidate), name="candidate-erase"),
        path(at, page(attempt.show), name="attempt"),
        path(at + "evidence/<row:grading>/<row:position>/", attempt.chart, name="evidence-chart"),
        path(
            at + "evidence/<row:grading>/<row:position>/replay.svg",
            page(replays.picture),
            name="evidence-picture",
        ),
        path(at + "compare/", page(replays.compare), name="compare"),
        path(at + "reference/<str:workload>/", replays.reference_chart, name="reference-chart"),
        path(at + "gradings/", replays.gradings, name="gradings"),
        path(at + "runs/<uuid:run>/replay.svg", page(replays.run_picture), name="run-picture"),
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
        *agreement_urls(site),
        *interview_urls(site),
        *report_urls(site),
        *tool_urls(site),
    ]
