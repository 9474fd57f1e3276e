"""A revision given by speech: the interviewer's notes are the round's answer, and nothing else is."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.attempts import begin_revision
from assessments.clock import EventKind, Phase
from assessments.happened import handed_in
from assessments.ledger import locked, record
from assessments.models import Attempt, Submission, body_digest
from assessments.submissions import settle

NOTES = "spoken-notes"
TITLE = "Notes of the spoken revision, typed by the interviewer"
TYPED = (
    "The candidate has typed a revision, and notes of a spoken one are never mixed with it. "
    "Keep yours as a note on the attempt's page."
)
OPEN = {Phase.REVISION_OPEN, Phase.REVISING, Phase.REVISION_GRACE}


def own_title() -> str:
    """What the notes are called where the candidate reads them."""
    return gettext("What you said, as the interviewer wrote it down")


def has_typed(attempt: Attempt) -> bool:
    """Whether the candidate changed anything in round 2."""
    first = Submission.objects.filter(attempt=attempt, round=1, superseded_at=None).first()
    drafts = attempt.drafts.filter(round=2, late=False)
    return drafts.exclude(sha256=first.sha256 if first else "").exists()


def hand_in_notes(attempt_id: UUID, *, notes: str, by: User, now: datetime) -> Submission:
    """Close round 2 with the notes of what the candidate said; nothing is graded.

    Sent twice, the same notes are handed in once. Where the time ran out while they spoke, the
    notes replace what the clock handed in for them: that is the first answer unchanged, and it
    stays on record.
    """
    notes = notes.strip()
    if not notes:
        raise NotPossible("Write down what the candidate said before you hand the notes in.")
    if "\x00" in notes or len(notes.encode()) > settings.MAX_BODY:
        raise NotPossible("The notes are too long, or hold a character that cannot be stored.")
    with locked(attempt_id) as attempt:
        settle(attempt, now=now)
        body = {"files": {}, "sections": {NOTES: notes}}
        before = attempt.submissions.filter(round=2, superseded_at=None).first()
        if before and before.source == Submission.Source.SPOKEN and before.body == body:
            return before
        if has_typed(attempt):
            raise NotPossible(TYPED)
        phase = attempt.phase(now)
        if phase == Phase.REVISION_OPEN:
            begin_revision(attempt, now=now, actor=by)
        elif phase == Phase.REVISION_SUBMITTED:
            _set_promoted_aside(attempt, now)
        elif phase not in OPEN:
            raise NotPossible("The revision is not open: release the feedback first.")
        submission = Submission.objects.create(
            attempt=attempt,
            round=2,
            body=body,
            sha256=body_digest(body),
            source=Submission.Source.SPOKEN,
            submitted_at=now,
        )
        if phase in OPEN:
            record(attempt, EventKind.SUBMITTED, now=now, actor=by)
        handed_in.send(Submission, submission=submission, now=now)
        return submission


def _set_promoted_aside(attempt: Attempt, now: datetime) -> None:
    promoted = attempt.submissions.filter(
        round=2, superseded_at=None, source=Submission.Source.PROMOTED
    )
    if not promoted.update(superseded_at=now):
        raise NotPossible("The revision was handed in before: reopen it to hand in another.")
