"""What can happen to an interview: planned, begun, written down question by question, handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import RevisionRound, Sitting
from hiring.models import Candidate, Opening
from library.models import HIGHEST, LOWEST, Question
from reviews.interviews.question_sets import items_of
from reviews.interviews.talks import planned_of
from reviews.models import (
    AskedQuestion,
    Assignment,
    Evaluation,
    InterviewSession,
    QuestionSet,
    TalkQuestion,
)

LONGEST_SECONDS = 24 * 60 * 60
# One scale for all bank questions; the points reached are what a score rests on.
LEVELS = {
    1: "Reaches next to none of the points, even with the hints, or says what would do harm.",
    2: "Reaches a few points, most of them only after hints; the reasons behind them are missing.",
    3: "Reaches about half of the points with sound reasons; goes deeper when asked.",
    4: "Reaches most points without hints, weighs alternatives, answers follow-ups from practice.",
    5: "Reaches nearly all points unprompted, names limits and trade-offs that matter here, and "
    "adds something true that the list does not hold.",
}


@dataclass(frozen=True)
class Written:
    """All that is noted about one question; the newest such state replaces the one before."""

    points: Sequence[int] = ()
    hints: Sequence[int] = ()
    follow_ups: Sequence[int] = ()
    note: str = ""
    score: int | None = None
    skipped: bool = False
    asked: bool = False
    seconds: int = 0


def may_interview() -> Q:
    """Staff who can be asked to hold an interview."""
    return Q(
        is_active=True,
        is_staff=True,
        groups__permissions__codename="change_interviewsession",
        groups__permissions__content_type__app_label="reviews",
    )


def plan(
    *,
    opening: Opening,
    candidate: Candidate,
    interviewer: User,
    question_set: QuestionSet,
    by: User,
    now: datetime,
    revision: RevisionRound | None = None,
    sitting: Sitting | None = None,
) -> tuple[InterviewSession, bool]:
    """The interviewer's own session for these questions, and whether it is new."""
    if not User.objects.filter(may_interview(), pk=interviewer.pk).exists():
        raise NotPossible("Only interviewers and hiring managers who are active hold interviews.")
    try:
        with transaction.atomic():
            session, made = InterviewSession.objects.get_or_create(
                opening=opening,
                candidate=candidate,
                interviewer=interviewer,
                question_set=question_set,
                supersedes=None,
                defaults={
                    "planned_by": by,
                    "planned_at": now,
                    "revision": revision,
                    "sitting": sitting,
                },
            )
            if sitting and not session.started_at and session.sitting_id != sitting.pk:
                session.sitting = sitting  # the talk before was called off, or had no plan
                session.save(update_fields=["sitting"])
            return session, made
    except IntegrityError as error:  # two presses at one moment
        raise NotPossible(
            "This interview was planned a moment ago: open the list again."
        ) from error


def owes_first_card(interviewer: User, session: InterviewSession) -> bool:
    """Whether the interviewer still has to score this person's first answer without meeting them."""
    attempts = Assignment.objects.filter(
        evaluator=interviewer,
        attempt__invitation__candidate=session.candidate,
        attempt__invitation__opening=session.opening,
    ).values_list("attempt", flat=True)
    cards = Evaluation.objects.submitted().filter(
        submission__attempt__in=attempts,
        submission__round=1,
        submission__superseded_at=None,
        evaluator=interviewer,
    )
    done = set(cards.values_list("submission__attempt", flat=True))
    return bool(set(attempts) - done)


@transaction.atomic
def begin(session: InterviewSession, *, now: datetime) -> InterviewSession:
    """Start the talk: the questions are copied as they stand now. Starting twice changes nothing."""
    session = InterviewSession.objects.select_for_update().get(pk=session.pk)
    if session.started_at:
        return session
    if owes_first_card(session.interviewer, session):
        raise NotPossible(
            "You are to score this person's first answer without knowing them: submit that "
            "scorecard first, then begin the interview."
        )
    if session.sitting and session.sitting.called_off_at:
        raise NotPossible("This interview was called off. Plan it anew to hold it.")
    AskedQuestion.objects.bulk_create(
        AskedQuestion(
            session=session,
            question=question,
            position=position,
            minutes=minutes,
            snapshot=snapshot,
        )
        for position, (question, minutes, snapshot) in enumerate(_to_ask(session), 1)
    )
    session.started_at = now
    session.save(update_fields=["started_at"])
    return session


def _to_ask(
    session: InterviewSession,
) -> list[tuple[Question | None, int, dict[str, object]]]:
    """(question, minutes, snapshot) as the talk's plan has them, else as the set has them."""
    planned = planned_of(session.sitting) if session.sitting else []
    if not planned:
        items = items_of(session.question_set)
        return [(item.question, item.minutes, snapshot_of(item.question)) for item in items]
    return [
        (row.question, row.minutes, snapshot_of(row.question) if row.question else _about(row))
        for row in planned
    ]


def _about(row: TalkQuestion) -> dict[str, object]:
    """A question about the candidate's own answer, in the shape of one of the bank."""
    more = ("follow_ups", "follow_up_answers", "weak_answers", "red_flags", "hints")
    return {
        "topic_id": "",
        "topic": f"About the answer: {row.text[:60]}{'…' if len(row.text) > 60 else ''}",
        "text": row.text,
        "level": row.attempt.level if row.attempt else "",
        "version": 0,
        "expected_points": row.expected,
        "place": row.place,
        "source": row.source,
        "discussion_points": [],
        **{name: [] for name in more},
    }


def snapshot_of(question: Question) -> dict[str, object]:
    """All that the record of an interview needs, so that later versions change nothing."""
    names = ("topic_id", "topic", "text", "level", "version", "expected_points", "follow_ups")
    more = ("follow_up_answers", "weak_answers", "red_flags", "hints", "discussion_points")
    return {name: getattr(question, name) for name in (*names, *more)}


def _open_session(pk: UUID) -> InterviewSession:
    session = InterviewSession.objects.select_for_update().get(pk=pk)
    if session.submitted_at:
        raise NotPossible("This interview was submitted before. Write a correction instead.")
    if not session.started_at:
        raise NotPossible("This interview has not begun yet.")
    return session


@transaction.atomic
def write(asked: AskedQuestion, written: Written, *, now: datetime) -> AskedQuestion:
    """Replace what is noted about one question while the interview is open."""
    _open_session(asked.session_id)
    row = AskedQuestion.objects.get(pk=asked.pk)
    row.points = _numbers(written.points, row.snapshot["expected_points"], "expected point")
    row.hints_given = _numbers(written.hints, row.snapshot["hints"], "hint")
    row.follow_ups_asked = _numbers(written.follow_ups, row.snapshot["follow_ups"], "follow-up")
    if written.score is not None and not LOWEST <= written.score <= HIGHEST:
        raise NotPossible(f"A score is a number from {LOWEST} to {HIGHEST}.")
    if not 0 <= written.seconds <= LONGEST_SECONDS:
        raise NotPossible("The time of a question is between no seconds and a day.")
    if written.skipped and written.score is not None:
        raise NotPossible("A skipped question has no score: take one of the two back.")
    row.note, row.score, row.skipped = written.note, written.score, written.skipped
    row.score_text = LEVELS[written.score] if written.score else ""
    row.seconds = written.seconds
    used = written.asked or row.points or row.hints_given or row.follow_ups_asked
    if row.asked_at is None and (used or row.score is not None):
        row.asked_at = now
    row.changed_at = now
    row.save()
    return row


def _numbers(given: Sequence[int], of: Sequence[str], what: str) -> list[int]:
    if any(not 0 <= number < len(of) for number in given):
        raise NotPossible(f"This question has no such {what}.")
    return sorted(set(given))


def missing(session: InterviewSession) -> list[str]:
    """Topics that were asked and have neither a score nor were skipped."""
    rows = session.asked.filter(asked_at__isnull=False, score=None, skipped=False)
    return [row.snapshot["topic"] for row in rows]


@transaction.atomic
def submit(session: InterviewSession, *, summary: str, now: datetime) -> None:
    """Freeze it. Questions nobody got to count as skipped; those asked need a score or a skip."""
    row = _open_session(session.pk)
    if gaps := missing(row):
        raise NotPossible(f"Asked, and still without a score: {', '.join(gaps)}. Score or skip.")
    if not row.asked.exclude(score=None).exists():
        raise NotPossible("No question has a score yet: there is nothing to submit.")
    row.asked.filter(score=None).update(skipped=True)
    row.summary, row.submitted_at = summary.strip(), now
    row.save(update_fields=["summary", "submitted_at"])


@transaction.atomic
def correct(session: InterviewSession, *, reason: str, now: datetime) -> InterviewSession:
    """A new, open record that starts as a copy; the submitted one stays as it is."""
    row = InterviewSession.objects.select_for_update().get(pk=session.pk)
    if not row.submitted_at:
        raise NotPossible("An open interview needs no correction: change it.")
    if not reason.strip():
        raise NotPossible("Say in a few words why the record is corrected.")
    if row.corrections.exists():
        raise NotPossible("This record was corrected before: correct the newest one.")
    copy = InterviewSession.objects.create(
        opening=row.opening,
        candidate=row.candidate,
        interviewer=row.interviewer,
        question_set=row.question_set,
        sitting=row.sitting,
        revision=row.revision,
        planned_by=row.planned_by,
        planned_at=row.planned_at,
        started_at=row.started_at,
        summary=row.summary,
        supersedes=row,
        correction_reason=reason.strip()[:300],
    )
    for asked in row.asked.all():
        asked.pk, asked._state.adding = None, True
        asked.session = copy
        asked.save(force_insert=True)
    return copy


def mean_score(session: InterviewSession) -> float | None:
    """Mean of the scores of the questions asked, 1 to 5; None where none has a score."""
    scores = [row.score for row in session.asked.all() if row.score is not None]
    return fmean(scores) if scores else None
