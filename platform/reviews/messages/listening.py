"""What happens to answers and scorecards, and whom it is told: connected when the site starts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assessments.happened import asked, grading_given_up, handed_in, told_one
from assessments.models import Announcement, Enquiry, GradingRun, Submission
from hiring.messages.to_candidates import tell_answered
from reviews.happened import asked_to_score, card_in, decided
from reviews.messages import to_staff
from reviews.models import Assignment, Decision, Evaluation


def _handed_in(submission: Submission, now: datetime, **_: Any) -> None:
    to_staff.answer_in(submission, now=now)


def _given_up(run: GradingRun, now: datetime, **_: Any) -> None:
    to_staff.grading_failed(run, now=now)


def _question(enquiry: Enquiry, now: datetime, **_: Any) -> None:
    to_staff.question_waits(enquiry, now=now)


def _told(announcement: Announcement, now: datetime, **_: Any) -> None:
    """By mail only where no page of theirs is open any more: it says so within seconds."""
    attempt = announcement.to
    if attempt is not None and not attempt.phase(now).accepts:
        tell_answered(attempt.invitation, attempt.exercise, answer=announcement.pk, now=now)


def _asked(assignment: Assignment, now: datetime, **_: Any) -> None:
    to_staff.asked(assignment, now=now)


def _card_in(evaluation: Evaluation, now: datetime, **_: Any) -> None:
    to_staff.card_came_in(evaluation, now=now)


def _decided(decision: Decision, now: datetime, **_: Any) -> None:
    to_staff.result_to_tell(decision, now=now)


def listen() -> None:
    """Connecting twice changes nothing."""
    handed_in.connect(_handed_in, dispatch_uid="messages")
    grading_given_up.connect(_given_up, dispatch_uid="messages")
    asked.connect(_question, dispatch_uid="messages")
    told_one.connect(_told, dispatch_uid="messages")
    asked_to_score.connect(_asked, dispatch_uid="messages")
    card_in.connect(_card_in, dispatch_uid="messages")
    decided.connect(_decided, dispatch_uid="messages")
