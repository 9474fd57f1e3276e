"""Addresses of the staff's pages about attempts, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reviews.board.urls import board_urls
from reviews.bulk.urls import bulk_urls
from reviews.catalogue.urls import catalogue_urls
from reviews.decisions.urls import decision_urls
from reviews.enquiries.urls import enquiry_urls
from reviews.evidence.urls import evidence_urls
from reviews.fairness.urls import fairness_urls
from reviews.feedback.urls import feedback_urls
from reviews.interviews.urls import interview_urls
from reviews.messages.urls import message_urls
from reviews.overview.urls import overview_urls
from reviews.privacy.urls import privacy_urls
from reviews.scoring.urls import scoring_urls
from reviews.similarity.urls import similarity_urls

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite
    from django.urls import URLPattern


def staff_urls(site: AdminSite) -> list[URLPattern]:
    """Each page checks permission and visibility itself; the site only asks for a sign-in."""
    rooms = (
        overview_urls,
        board_urls,
        enquiry_urls,
        evidence_urls,
        scoring_urls,
        feedback_urls,
        interview_urls,
        decision_urls,
        fairness_urls,
        privacy_urls,
        message_urls,
        bulk_urls,
        catalogue_urls,
        similarity_urls,
    )
    return [url for room in rooms for url in room(site)]
