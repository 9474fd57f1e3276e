"""Addresses of question sets, interviews and an opening's printed guide, below /admin/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import URLPattern, path

from reviews.interviews.pages import (
    interview_notes,
    interview_score,
    interviews,
    live,
    opening_guide,
    question_sets,
    talk,
)

if TYPE_CHECKING:
    from django.contrib.admin import AdminSite


def interview_urls(site: AdminSite) -> list[URLPattern]:
    page = site.admin_view
    one, sets, at = "interviews/<uuid:pk>/", "question-sets/", "attempts/<uuid:pk>/"
    return [
        path(sets, page(question_sets.sets), name="question-sets"),
        path(sets + "build/", page(question_sets.build), name="question-set-build"),
        path(sets + "<row:pk>/", page(question_sets.edit), name="question-set"),
        path(sets + "<row:pk>/print/", page(question_sets.sheet), name="question-set-print"),
        path("interviews/", page(interviews.listing), name="interviews"),
        path("interviews/plan/", page(interviews.plan), name="interview-plan"),
        path(one, page(interviews.interview), name="interview"),
        path(one + "questions/<row:asked>/", interview_notes.save, name="interview-note"),
        path(one + "talk/", page(talk.talk), name="interview-talk"),
        path(one + "live/", live.state, name="interview-live"),
        path(one + "live/notes/", live.notes, name="interview-shared-notes"),
        path(one + "live/pad/", live.pad, name="interview-pad"),
        path(one + "live/show/", live.show, name="interview-show"),
        path(one + "correct/", page(interviews.correct), name="interview-correct"),
        path(one + "print/", page(interviews.sheet), name="interview-print"),
        path(at + "interview/", page(interviews.in_revision), name="revision-interview"),
        path(at + "interview-score/", page(interview_score.enter), name="interview-score"),
        path("openings/<row:pk>/guide/", page(opening_guide.guide), name="opening-guide"),
    ]
