"""A candidate asks the staff: during the work, and once about the feedback."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.not_possible import NotPossible
from assessments.happened import asked
from assessments.models import Attempt, Enquiry
from hiring.trials import practice_of

LONGEST, MOST = 2000, 20
"""Characters of a question; questions of one attempt."""
TOO_MANY = (
    f"You have asked {MOST} questions here, which is as many as we can take. Please write to us."
)
CLOSED = "Your time for this exercise is over: please write to us instead."
IN_PRACTICE = "In practice nobody is asked; during the exercise the interviewers get your question."
NO_FEEDBACK = "There is no feedback to ask about yet."
ASKED_ONCE = "You have asked about the feedback already; the answer comes to this page."


def ask(attempt: Attempt, *, id: UUID, text: str, now: datetime) -> Enquiry:
    """Keep a question about the work; the same id again is the same question. Raises NotPossible."""
    with transaction.atomic():
        row = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
        if known := row.enquiries.filter(pk=id).first():
            return known
        if not row.phase(now).accepts:
            raise NotPossible(CLOSED)
        if practice_of(row.invitation):
            raise NotPossible(IN_PRACTICE)
        if row.enquiries.count() >= MOST:
            raise NotPossible(TOO_MANY)
        return _kept(row, id, text, Enquiry.About.WORK, now)


def ask_about_feedback(attempt: Attempt, *, id: UUID, text: str, now: datetime) -> Enquiry:
    """Keep the one query about the feedback. Raises NotPossible."""
    with transaction.atomic():
        row = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
        if known := row.enquiries.filter(pk=id).first():
            return known
        if not hasattr(row, "revision"):
            raise NotPossible(NO_FEEDBACK)
        if row.enquiries.filter(about=Enquiry.About.FEEDBACK).exists():
            raise NotPossible(ASKED_ONCE)
        return _kept(row, id, text, Enquiry.About.FEEDBACK, now)


def _kept(attempt: Attempt, id: UUID, text: str, about: str, now: datetime) -> Enquiry:
    if Enquiry.objects.filter(pk=id).exists():
        raise NotPossible("Reload the page and send your question again.")
    row = Enquiry.objects.create(id=id, attempt=attempt, about=about, text=text, asked_at=now)
    asked.send(Enquiry, enquiry=row, now=now)
    return row
