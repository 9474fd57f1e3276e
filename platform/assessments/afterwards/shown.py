"""What the receipt shows beside the proof: feedback, decision, the query about it, and how it was."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from typing import Any
from uuid import uuid4

from assessments import answers, spoken
from assessments.clock import Phase
from assessments.enquiries.api import conversation
from assessments.models import Attempt, Impression, Submission
from hiring.messages.wording import LINK
from hiring.models import Invitation, Message
from library.packs import pack_of

RESULTS = ("result_onward", "result_declined")
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of every file in the ZIP: same answer, same bytes
LONGEST = 2000


def beside_the_receipt(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """The feedback only once the revision is handed in: before, its own clock shows it."""
    revision = getattr(attempt, "revision", None)
    done = attempt.phase(now) == Phase.REVISION_SUBMITTED
    talk = conversation(attempt)
    return {
        "feedback": revision if done else None,
        "focus": _named(attempt, revision.focus) if done and revision and revision.focus else "",
        "query": next((one for one in talk["asked"] if one["about"] == "feedback"), None),
        "asked": [one for one in talk["asked"] if one["about"] == "work"],
        "announced": talk["announced"],
        "query_id": uuid4(),
        "results": results_of(attempt.invitation),
        "impression": Impression.objects.filter(attempt=attempt).first(),
        "hows": Impression.How.choices,
        "longest": LONGEST,
    }


def results_of(invitation: Invitation) -> list[dict[str, Any]]:
    """What the company told of its decision, as it told it; nothing where it told nothing."""
    rows = Message.objects.filter(
        occasion__in=RESULTS, opening=invitation.opening, candidate=invitation.candidate
    )
    return [
        {"at": row.queued_at, "subject": row.subject, "text": row.text.replace(LINK, "").strip()}
        for row in rows.order_by("queued_at", "pk")
    ]


def answer_parts(submission: Submission) -> dict[str, Any]:
    """An answer to read: its texts with their titles, its files."""
    attempt = submission.attempt
    sections = pack_of(attempt.pack_version.name).sections(attempt.level)
    titles = {one.key: one.title for one in sections} | {spoken.NOTES: spoken.own_title()}
    body = submission.body
    return {
        "number": submission.round,
        "submitted_at": submission.submitted_at,
        "sections": [
            {"key": "" if key == spoken.NOTES else key, "title": titles.get(key, key), "text": text}
            for key, text in answers.in_order(body["sections"], titles).items()
        ],
        "files": list(answers.in_order(body["files"], ()).items()),
    }


def zipped(attempt: Attempt) -> bytes:
    """Every answer that was handed in, file by file; the same answers give the same bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in handed_in(attempt):
            for path, text in sorted(row.body["files"].items()):
                _put(archive, f"answer-{row.round}/{path}", text)
            for key, text in sorted(row.body["sections"].items()):
                _put(archive, f"answer-{row.round}/sections/{key}.md", text)
    return held.getvalue()


def handed_in(attempt: Attempt) -> list[Submission]:
    """The answers that stand, the first before the revised one."""
    rows = attempt.submissions.filter(superseded_at=None).order_by("round")
    return list(rows.select_related("attempt__pack_version"))


def _put(archive: zipfile.ZipFile, path: str, text: str) -> None:
    entry = zipfile.ZipInfo(path, FIRST_DAY)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, text.encode())


def _named(attempt: Attempt, name: str) -> str:
    """A section by its title, a file by its path."""
    found = pack_of(attempt.pack_version.name).sections(attempt.level)
    return next((one.title for one in found if one.key == name), name)
