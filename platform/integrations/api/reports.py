"""A report as data: what the report's page gathers for the same reader, without its drawings."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse

from assessments.models import Attempt
from reviews.decisions.reports import Part, Report, Round


def written(report: Report, about: Attempt) -> dict[str, Any]:
    """As `work_forms.ReportOut` describes it."""
    score = report.candidate_score
    return {
        "name": report.name,
        "opening": report.opening.pk,
        "page": settings.SITE_URL + reverse("admin:report", args=[about.pk]),
        "owes_scorecard": report.owes,
        "work_samples": _estimate(score.work),
        "interviews": _estimate(score.interviews),
        "combined": _estimate(score.combined),
        "formula": report.formula,
        "parts": [_part(part) for part in report.parts],
        "decisions": None
        if report.decisions is None
        else [
            {
                "id": row.pk,
                "outcome": row.outcome,
                "reasons": row.reasons,
                "decided_by": str(row.decided_by),
                "decided_at": row.decided_at,
            }
            for row in report.decisions
        ],
    }


def _estimate(found: Any) -> dict[str, Any]:
    return {"value": found.value, "low": found.low, "high": found.high, "count": found.count}


def _part(part: Part) -> dict[str, Any]:
    return {
        "attempt": part.attempt.pk,
        "exercise": part.attempt.exercise_id,
        "title": str(part.attempt.exercise),
        "rating": _estimate(part.rating) if part.rating else None,
        "rounds": [_round(row) for row in part.rounds],
    }


def _round(row: Round) -> dict[str, Any]:
    return {
        "number": row.number,
        "submission": row.submission.pk,
        "source": row.source,
        "criteria": [
            {"title": one.title, "levels": one.levels, "mean": one.mean} for one in row.rows
        ],
        "hidden_scorecards": row.hidden,
        "measures": [_measure(one) for one in row.measures] if row.sees_measures else None,
    }


def _measure(one: Any) -> dict[str, Any]:
    return {
        "key": one.key,
        "label": one.label,
        "score": one.score,
        "corrected": one.corrected.score if one.corrected else None,
        "override": one.override.score if one.override else None,
    }
