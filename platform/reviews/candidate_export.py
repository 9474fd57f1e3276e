"""What is known of a candidate, as one ZIP file for them: data.json and the files they handed in.

Holds what they gave, what they were shown, and what people made of it. Not in it: the exercises'
keys and hidden workloads, which are nobody's data, and the names of those who scored.
"""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from typing import Any

from assessments.models import Attempt, Run, Submission
from hiring.models import Candidate, Invitation
from reviews.models import Decision, Evaluation, Note

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of every file in the ZIP: same data, same bytes


def export(candidate: Candidate) -> bytes:
    """The ZIP file; the same data give the same bytes."""
    attempts = list(
        Attempt.objects.filter(invitation__candidate=candidate)
        .select_related("exercise__opening", "invitation", "pack_version")
        .order_by("started_at", "pk")
    )
    data = {
        "name": candidate.name,
        "email": candidate.email,
        "pseudonym": candidate.pseudonym,
        "known_since": candidate.created_at,
        "extra_time": [
            {"multiplier": row.multiplier, "note": row.note, "granted_at": row.granted_at}
            for row in candidate.accommodations.order_by("pk")
        ],
        "invitations": [_invitation(row) for row in candidate.invitations.order_by("created_at")],
        "attempts": [_attempt(row) for row in attempts],
        "decisions": [_decision(row) for row in candidate.decisions.order_by("decided_at")],
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
        _put(archive, "data.json", text + "\n")
        for number, attempt in enumerate(attempts, 1):
            _put_files(archive, attempt, f"{number}-{attempt.exercise.kind}")
    return held.getvalue()


def _put(archive: zipfile.ZipFile, path: str, text: str) -> None:
    entry = zipfile.ZipInfo(path, FIRST_DAY)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode())


def _put_files(archive: zipfile.ZipFile, attempt: Attempt, folder: str) -> None:
    for row in attempt.submissions.filter(superseded_at=None).order_by("round"):
        for path, text in sorted(row.body.get("files", {}).items()):
            _put(archive, f"{folder}/round-{row.round}/{path}", text)
        for key, text in sorted(row.body.get("sections", {}).items()):
            _put(archive, f"{folder}/round-{row.round}/sections/{key}.md", text)


def _invitation(row: Invitation) -> dict[str, Any]:
    return {
        "opening": row.opening.title,
        "opens_at": row.opens_at,
        "closes_at": row.closes_at,
        "sent_at": row.sent_at,
        "first_opened_at": row.first_opened_at,
        "revoked_at": row.revoked_at,
    }


def _attempt(row: Attempt) -> dict[str, Any]:
    feedback = getattr(row, "feedback", None)
    released = feedback if feedback and feedback.released_at else None
    return {
        "opening": row.exercise.opening.title,
        "exercise": row.pack_version.title,
        "level": row.level,
        "accepted": row.policies,
        "started_at": row.started_at,
        "clock": [
            {"kind": event.kind, "at": event.at, "reason": event.reason, "deadline": event.after}
            for event in row.time_events.all()
        ],
        "drafts": [
            {"number": draft.number, "received_at": draft.received_at, "body": draft.body}
            for draft in row.drafts.order_by("number")
        ],
        "runs": [
            _run(run) for run in row.runs.select_related("draft").order_by("created_at", "pk")
        ],
        "submissions": [_submission(one) for one in row.submissions.order_by("round", "pk")],
        "feedback": released
        and {"strength": released.strength, "improvement": released.improvement},
        "remarks": [
            {"written_at": note.written_at, "text": note.text}
            for note in Note.objects.filter(attempt=row).order_by("written_at", "pk")
        ],
    }


def _run(row: Run) -> dict[str, Any]:
    return {
        "workload": row.workload,
        "draft": row.draft.number,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
        "result": row.result,
        "report": row.report,
    }


def _submission(row: Submission) -> dict[str, Any]:
    grading = row.grading_runs.exclude(finished_at=None).order_by("-pk").first()
    cards = Evaluation.objects.submitted().filter(submission=row).order_by("pk")
    return {
        "round": row.round,
        "submitted_at": row.submitted_at,
        "replaced_at": row.superseded_at,
        "sha256": row.sha256,
        "body": row.body,
        "measured": _measured(grading.report) if grading else None,
        "scorecards": [_card(card) for card in cards.prefetch_related("ratings")],
    }


def _measured(report: dict[str, Any] | None) -> dict[str, Any]:
    """Measures and their mean; the evidence behind them tells of hidden workloads."""
    kept = ("label", "unit", "value", "score", "explanation")
    rows = (report or {}).get("measures") or []
    measures = [{name: row.get(name) for name in kept} for row in rows]
    return {"score": (report or {}).get("score"), "measures": measures}


def _card(card: Evaluation) -> dict[str, Any]:
    ratings = [
        {"criterion": title, "level": row.level, "meaning": row.level_text, "note": row.note}
        for title, row in card.titled_ratings()
    ]
    return {"submitted_at": card.submitted_at, "ratings": ratings}


def _decision(row: Decision) -> dict[str, Any]:
    return {
        "opening": row.opening.title,
        "outcome": row.get_outcome_display(),
        "reasons": row.reasons,
        "decided_at": row.decided_at,
    }


def file_name(candidate: Candidate, now: datetime) -> str:
    return f"candidate-{candidate.pk}-{now:%Y-%m-%d}.zip"
