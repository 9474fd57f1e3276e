"""Interviews and live sittings, as a candidate's copy of their data tells of them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from assessments.models import PadSave, Sitting
from assessments.sitting import pads
from hiring.models import Candidate
from reviews.models import InterviewScore, InterviewSession


def talks(candidate: Candidate) -> QuerySet[InterviewSession]:
    rows = candidate.interviews.exclude(submitted_at=None).order_by("submitted_at", "pk")
    return rows.select_related("opening").prefetch_related("asked")


def interview(row: InterviewSession) -> dict[str, Any]:
    """What was asked and noted; the points that were expected belong to the bank."""
    return {
        "opening": row.opening.title,
        "started_at": row.started_at,
        "submitted_at": row.submitted_at,
        "summary": row.summary,
        "questions": [
            {
                "question": asked.snapshot["text"],
                "score": asked.score,
                "meaning": asked.score_text,
                "note": asked.note,
            }
            for asked in row.asked.all()
            if not asked.skipped
        ],
    }


def sittings(candidate: Candidate) -> QuerySet[Sitting]:
    rows = Sitting.objects.filter(invitation__candidate=candidate)
    return rows.select_related("invitation__opening").order_by("planned_at", "pk")


def sitting(row: Sitting) -> dict[str, Any]:
    """When a talk was planned, what the person was shown, and what was written together in it."""
    return {
        "opening": row.invitation.opening.title,
        "begins_at": row.begins_at,
        "minutes": row.minutes,
        "called_off_at": row.called_off_at,
        "shown": [
            {"at": one.at, "question": one.text} for one in row.showings.filter(is_open=True)
        ],
        "shared_pad": pads.pad_of(row, PadSave.Pad.SHARED).text,
        "notes": pads.pad_of(row, PadSave.Pad.NOTES).text,
    }


def interview_score(row: InterviewScore) -> dict[str, Any]:
    return {
        "opening": row.opening.title,
        "about": row.get_about_display(),
        "score": row.score,
        "reasons": row.reasons,
        "given_at": row.given_at,
    }
