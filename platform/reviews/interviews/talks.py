"""The plan of a talk: when it is, who holds it, what is asked in which order; moved and called off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.not_possible import NotPossible
from assessments.models import Attempt, Sitting
from hiring.models import Candidate, Invitation, Opening
from library.versions import newest
from reviews.feedback.proposals import Proposal, proposals
from reviews.interviews.question_sets import LONGEST_QUESTION, MOST_QUESTIONS, items_of
from reviews.interviews.telling import tell_called_off, tell_planned
from reviews.models import InterviewSession, QuestionSet, TalkQuestion
from reviews.visibility import attempts_visible_to, has_card_in, is_evaluator

ABOUT_MINUTES = 5
"""What a question about the answer is planned for until somebody says otherwise."""
BEGUN = "Somebody has begun this interview: its plan stays as it is."


@dataclass(frozen=True)
class When:
    """The planned time of a talk; begins_at None: not agreed yet."""

    begins_at: datetime | None
    time_zone: str
    minutes: int


@dataclass(frozen=True)
class Row:
    """A question of the plan as it is to be: which, and for how many minutes."""

    pk: int
    minutes: int


@dataclass(frozen=True)
class Taken:
    """A proposed question with the attempt whose answer it is about."""

    attempt: Attempt
    proposal: Proposal


def talk_for(
    opening: Opening,
    candidate: Candidate,
    question_set: QuestionSet,
    when: When,
    *,
    by: User,
    now: datetime,
) -> Sitting:
    """The talk with this person by this set, made with the set's questions where there is none yet."""
    _check(when, now)
    known = Sitting.objects.filter(
        sessions__opening=opening,
        sessions__candidate=candidate,
        sessions__question_set=question_set,
        called_off_at=None,
    )
    if row := known.exclude(sessions__started_at__isnull=False).first():
        if when.begins_at and when.begins_at != row.begins_at:
            set_time(row, when, by=by, now=now)
        return row
    links = Invitation.objects.filter(opening=opening, candidate=candidate)
    link = links.filter(revoked_at=None).order_by("-created_at").first()
    link = link or links.order_by("-created_at").first()
    if link is None:
        raise NotPossible("This person was not invited for that opening.")
    row = Sitting.objects.create(
        invitation=link,
        begins_at=when.begins_at,
        time_zone=when.time_zone,
        minutes=when.minutes,
        planned_by=by,
        planned_at=now,
    )
    TalkQuestion.objects.bulk_create(
        TalkQuestion(sitting=row, question=item.question, minutes=item.minutes, position=position)
        for position, item in enumerate(items_of(question_set), 1)
    )
    return row


def _check(when: When, now: datetime) -> None:
    if when.begins_at and when.begins_at <= now:
        raise NotPossible("The planned time lies in the past: choose a later one.")


def planned_of(sitting: Sitting) -> list[TalkQuestion]:
    """The questions of a talk in order, those of the bank in their newest wording; nothing is saved."""
    rows = list(sitting.questions.select_related("question", "attempt__invitation"))
    current = newest(row.question for row in rows if row.question)
    for row in rows:
        if row.question:
            row.question = current[row.question.pk]
    return rows


def tell(sitting: Sitting, *, by: User, now: datetime) -> None:
    """Tell the candidate and everybody who holds the talk, once for each time that was set."""
    if sitting.begins_at and sitting.begins_at > now:
        tell_planned(sitting, list(holding(sitting)), by=by, now=now)


def holding(sitting: Sitting) -> QuerySet[InterviewSession]:
    rows = InterviewSession.objects.filter(sitting=sitting, supersedes=None)
    return rows.select_related("interviewer").order_by("planned_at", "pk")


def is_begun(sitting: Sitting) -> bool:
    return sitting.sessions.exclude(started_at=None).exists()


@transaction.atomic
def set_time(sitting: Sitting, when: When, *, by: User, now: datetime) -> None:
    """Set the time anew; everybody is told, with a calendar file that replaces the one before."""
    _check(when, now)
    row = _to_change(sitting)
    if when.begins_at is None:
        raise NotPossible("Say when it begins; “Call off” is for a talk that is not to be.")
    if (row.begins_at, row.time_zone, row.minutes) == (
        when.begins_at,
        when.time_zone,
        when.minutes,
    ):
        return
    row.begins_at, row.time_zone, row.minutes = when.begins_at, when.time_zone, when.minutes
    row.moves += 1
    row.save(update_fields=["begins_at", "time_zone", "minutes", "moves"])
    sitting.refresh_from_db()
    tell(row, by=by, now=now)


@transaction.atomic
def call_off(sitting: Sitting, *, by: User, now: datetime) -> None:
    row = _to_change(sitting)
    row.called_off_at = now
    row.save(update_fields=["called_off_at"])
    if row.begins_at:
        tell_called_off(row, list(holding(row)), by=by, now=now)


def _to_change(sitting: Sitting) -> Sitting:
    row = Sitting.objects.select_for_update().get(pk=sitting.pk)
    if row.called_off_at:
        raise NotPossible("This interview was called off. Plan it anew.")
    if is_begun(row):
        raise NotPossible(BEGUN)
    return row


@transaction.atomic
def arrange(sitting: Sitting, rows: Sequence[Row], taken: Iterable[Taken]) -> None:
    """Keep these questions in this order, then those taken about the answer; the others are left out."""
    row = _to_change(sitting)
    known = {item.pk: item for item in row.questions.all()}
    kept = [known[each.pk] for each in rows if each.pk in known]
    new = list(taken)
    if not kept and not new:
        raise NotPossible("A talk needs one question at least.")
    if len(kept) + len(new) > MOST_QUESTIONS:
        raise NotPossible(f"A talk has at most {MOST_QUESTIONS} questions.")
    row.questions.exclude(pk__in=[item.pk for item in kept]).delete()
    minutes = {each.pk: min(max(each.minutes, 1), LONGEST_QUESTION) for each in rows}
    for position, item in enumerate(kept, 1):
        item.position, item.minutes = position, minutes[item.pk]
        item.save(update_fields=["position", "minutes"])
    for position, one in enumerate(new, len(kept) + 1):
        TalkQuestion.objects.create(
            sitting=row,
            position=position,
            minutes=ABOUT_MINUTES,
            attempt=one.attempt,
            source=one.proposal.source,
            text=one.proposal.text,
            place=one.proposal.place,
            expected=list(one.proposal.expected),
        )


def may_read_about(viewer: User, attempt: Attempt | None) -> bool:
    """Whether questions about an answer may be read: not by whoever owes its first scorecard."""
    if attempt is None or not viewer.has_perm("assessments.view_submission"):
        return False
    if not attempts_visible_to(viewer).filter(pk=attempt.pk).exists():
        return False
    return not is_evaluator(viewer, attempt) or has_card_in(viewer, attempt, 1)


def proposed(sitting: Sitting, viewer: User) -> list[Taken]:
    """What may be asked about the person's answers, without what the plan has already."""
    has = set(sitting.questions.exclude(text="").values_list("text", flat=True))
    rows = sitting.invitation.attempts.select_related(
        "exercise", "pack_version", "invitation__opening", "invitation__candidate"
    ).prefetch_related("submissions")
    return [
        Taken(attempt, one)
        for attempt in rows.order_by("started_at", "pk")
        if may_read_about(viewer, attempt)
        for one in proposals(attempt, viewer)
        if one.text not in has
    ]
