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

from assessments.enquiries.api import conversation
from assessments.models import (
    AssistantTurn,
    Attempt,
    OwnWorkRound,
    Run,
    Submission,
    TerminalCommand,
)
from assessments.own_work import rounds
from hiring.models import Candidate, Invitation
from reviews.evidence import corrections, terminal_record
from reviews.models import (
    Decision,
    Defence,
    Evaluation,
    MatchCorrection,
    Note,
    Pin,
    SelfDescription,
)
from reviews.privacy import talks_told
from reviews.scoring import overrides, pins

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of every file in the ZIP: same data, same bytes


JUDGED = ("known_to_evaluators", "interviews", "interview_scores", "decisions")
JUDGED_OF_ATTEMPT = ("explain_and_defend", "remarks")
JUDGED_OF_ANSWER = (
    "measured", "measures_overridden", "readings_corrected", "pins", "agreed_after_discussion",
    "scorecards",
)  # fmt: skip


def export_own(candidate: Candidate) -> bytes:
    """What they gave and were told, without what people or machines made of it."""
    return export(candidate, judged=False)


def export(candidate: Candidate, *, judged: bool = True) -> bytes:
    """The ZIP file; the same data give the same bytes. judged: with what people made of it and others know."""
    attempts = list(
        Attempt.objects.filter(invitation__candidate=candidate)
        .select_related("exercise__opening", "invitation", "pack_version")
        .order_by("started_at", "pk")
    )
    data = {
        "name": candidate.name,
        "email": candidate.email,
        "time_zone": candidate.time_zone,
        "pseudonym": candidate.pseudonym,
        "known_since": candidate.created_at,
        "extra_time": [
            {"multiplier": row.multiplier, "note": row.note, "granted_at": row.granted_at}
            for row in candidate.accommodations.order_by("pk")
        ],
        "invitations": [_invitation(row) for row in candidate.invitations.order_by("created_at")],
        "messages": _messages(candidate),
        "known_to_evaluators": [
            {"declared_at": row.declared_at, "how": row.how}
            for row in candidate.acquaintances.all()
        ],
        "attempts": [_attempt(row) for row in attempts],
        "self_descriptions": [
            {"opening": row.invitation.opening.title, "given_at": row.given_at, "said": row.answers}
            for row in _self_descriptions(candidate)
        ],
        "interviews": [talks_told.interview(row) for row in talks_told.talks(candidate)],
        "live_interviews": [talks_told.sitting(row) for row in talks_told.sittings(candidate)],
        "interview_scores": [
            talks_told.interview_score(row) for row in candidate.interview_scores.all()
        ],
        "decisions": [_decision(row) for row in candidate.decisions.order_by("decided_at")],
    }
    if judged:
        return _packed(data | _told_elsewhere(candidate), attempts)
    return _packed(_without_judgements(data), attempts)


def _packed(data: dict[str, Any], attempts: list[Attempt]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
        _put(archive, "data.json", text + "\n")
        for number, attempt in enumerate(attempts, 1):
            _put_files(archive, attempt, f"{number}-{attempt.exercise.kind}")
    return held.getvalue()


def _without_judgements(data: dict[str, Any]) -> dict[str, Any]:
    """Staff's own words about time and accommodations are left out too: they may name other things."""
    own = {key: value for key, value in data.items() if key not in JUDGED}
    own["extra_time"] = [_but(row, "note") for row in data["extra_time"]]
    own["live_interviews"] = [_but(row, "notes") for row in data["live_interviews"]]
    own["attempts"] = [
        _but(row, *JUDGED_OF_ATTEMPT)
        | {
            "clock": [_but(event, "reason") for event in row["clock"]],
            "submissions": [_but(one, *JUDGED_OF_ANSWER) for one in row["submissions"]],
            "feedback": row["feedback"] if row["revision_handed_in"] else None,
        }
        for row in data["attempts"]
    ]
    return own


def _but(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in names}


def _told_elsewhere(candidate: Candidate) -> dict[str, list[dict[str, Any]]]:
    """Which other systems know of them, as the rows of the app above tell it."""
    found = {}
    for field in Candidate._meta.get_fields(include_hidden=True):
        model: Any = field.related_model
        if name := getattr(model, "exported_as", ""):
            found[name] = model.exported(candidate)
    return found


def _messages(candidate: Candidate) -> list[dict[str, Any]]:
    """What was sent to them; what staff were told about them says nothing that is not here as well."""
    return [
        {"subject": row.subject, "text": row.text, "sent_at": row.sent_at}
        for row in candidate.messages.filter(recipient=None).order_by("queued_at", "pk")
    ]


def _self_descriptions(candidate: Candidate) -> list[SelfDescription]:
    rows = SelfDescription.objects.filter(invitation__candidate=candidate)
    return list(rows.select_related("invitation__opening").order_by("given_at", "pk"))


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
        "data_requests": [
            {"wish": one.wish, "asked_at": one.asked_at, "met_at": one.met_at}
            for one in row.data_requests.all()
        ],
        "shown_ahead": [
            {
                "exercise": str(one.exercise),
                "from": one.opens_at,
                "first_opened_at": one.first_opened_at,
            }
            for one in row.advance_releases.select_related("exercise")
        ],
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
        "shown_ahead_from": row.ahead_from,
        "first_opened_ahead_at": row.ahead_opened_at,
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
        "terminal": [_command(one) for one in terminal_record.commands(row)],
        "terminal_printed": _printed(row),
        "cluster": _cluster(row),
        "submissions": [_submission(one) for one in row.submissions.order_by("round", "pk")],
        "asked_and_told": conversation(row),
        "assistant": [_asked_assistant(one) for one in row.assistant_turns.all()],
        "how_it_was": _impression(row),
        "revision_handed_in": row.round == 2 and row.awaiting_round is None,
        "feedback": released
        and {"strength": released.strength, "improvement": released.improvement},
        "explain_and_defend": [
            _defence(one) for one in Defence.objects.current().filter(attempt=row)
        ],
        "remarks": [
            {"written_at": note.written_at, "text": note.text}
            for note in Note.objects.filter(attempt=row).order_by("written_at", "pk")
        ],
    }


def _asked_assistant(row: AssistantTurn) -> dict[str, Any]:
    return {
        "asked_at": row.asked_at,
        "question": row.question,
        "answer": row.answer,
        "ended_at": row.ended_at,
        "not_whole_because": row.get_problem_display() if row.problem else "",
        "model": row.model,
        "tokens": row.tokens,
    }


def _printed(row: Attempt) -> list[dict[str, Any]]:
    return [
        {"round": one.round, "text": "\n".join(line.text for line in one.lines)}
        for one in terminal_record.record(row).sessions
    ]


def _cluster(row: Attempt) -> dict[str, Any] | None:
    """A live cluster's files as a packed archive in base64, and how its queue moved."""
    found = getattr(row, "live_cluster", None)
    return found and {
        "began_at": found.began_at,
        "kept": list(found.kept.values("round", "at", "files")),
        "moved": list(found.looks.values("at", "running", "waiting", "gpus", "up")),
    }


def _impression(row: Attempt) -> dict[str, Any] | None:
    said = getattr(row, "impression", None)
    return said and {"how": said.get_how_display(), "text": said.text, "given_at": said.given_at}


def _command(row: TerminalCommand) -> dict[str, Any]:
    return {
        "at": row.at,
        "known_from": row.get_source_display(),
        "host": row.host,
        "line": row.line,
        "exit_code": row.code,
        "ms": row.ms,
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
        "measures_overridden": [
            {"measure": one.measure, "score": one.score, "reason": one.reason, "at": one.at}
            for one in overrides.of(grading).log
        ],
        "readings_corrected": [_correction(one) for one in corrections.of(grading).log],
        "pins": [_pin(pin) for pin in row.pins.prefetch_related("wordings")],
        "questions_about_it": _own_work(row),
        "agreed_after_discussion": [
            {"criterion": one.criterion_key, "level": one.level, "reason": one.reason}
            for one in row.discussions.all()
        ],
        "scorecards": [_card(card) for card in cards.prefetch_related("ratings")],
    }


def _own_work(row: Submission) -> dict[str, Any] | None:
    """What was asked about the answer and what was said to it; what is right tells of the exercise's key."""
    asked = OwnWorkRound.objects.filter(submission=row).first()
    if asked is None:
        return None
    return {
        "begun_at": asked.started_at,
        "handed_in_at": asked.handed_in_at,
        "questions": [
            {**one.question.asked(), "given": one.given_text, "why": one.why}
            for one in rounds.judged(asked)
        ]
        if asked.started_at
        else [],
        "saves": [
            {"at": save.received_at, "late": save.late, "answers": save.answers}
            for save in asked.saves.order_by("pk")
        ],
    }


def _defence(row: Defence) -> dict[str, Any]:
    return {
        "recorded_at": row.recorded_at,
        "left_out_because": row.skipped_because,
        "level": row.level,
        "meaning": row.level_text,
        "notes": row.notes,
        "questions": [{"text": put.text, "answer": put.note} for put in row.questions.all()],
    }


def _pin(pin: Pin) -> dict[str, Any]:
    """Without hidden workloads and lines of the materials: those tell of the exercise's key."""
    place = "a hidden workload" if pin.source.startswith("graded-") else pin.place
    if pin.source == pins.MATERIAL:
        place = "a line of the materials"
    return {"place": place, "text": pin.text, "withdrawn": pin.withdrawn, "at": pin.pinned_at}


def _correction(row: MatchCorrection) -> dict[str, Any]:
    """Without the cause or herring, which tells of the exercise's key."""
    return {
        "statement": row.quote,
        "held_to_be": row.get_verdict_display(),
        "reason": row.reason,
        "at": row.at,
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
        "told_at": row.told_at,
    }


def file_name(candidate: Candidate, now: datetime) -> str:
    return f"candidate-{candidate.pk}-{now:%Y-%m-%d}.zip"
