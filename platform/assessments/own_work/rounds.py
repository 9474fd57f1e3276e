"""The round about one's own answer: whether there is one, where it stands, and its verbs.

What is stored are facts: when it began, until when it was to last, what arrived. Where it stands follows from
them and from `now`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.not_possible import NotPossible
from accounts.prose import is_text
from assessments.clock import uncovered
from assessments.jobs import Result
from assessments.models import Attempt, Outage, OwnWorkRound, OwnWorkSave, Submission
from assessments.pulses import WEB
from assessments.queue import enqueue_questions
from assessments.sitting import sittings
from graders.own_work import Question, judge, question_from
from hiring.models import GRACE, Exercise, OwnWork
from hiring.policies import own_work_notice
from hiring.time_allowed import in_words, stretch

ACCEPTED = "own_work"
"""Key of the notice among what a candidate accepts before Start: nobody is asked who was not told."""
BEGIN_WITHIN = timedelta(hours=24)
"""How long after the questions are there the round can be begun; longer with extra time."""
LONGEST_WHY = 600
LONGEST_GIVEN = 60
MOST_SAVES = 2_000
Entries = dict[str, dict[str, str]]


class Stage(StrEnum):
    PREPARING = "preparing"
    NONE = "none"  # nothing can be asked, or we could not find out
    CLOSED = "closed"  # belongs to the interview, whose page is not open
    READY = "ready"
    MISSED = "missed"  # was not begun in time
    RUNNING = "running"
    DONE = "done"  # handed in, or the time is over


def notice(exercise: Exercise) -> str:
    """What a candidate is told of it before Start; "" where nothing is asked."""
    opening = exercise.opening
    if opening.own_work == OwnWork.OFF or not exercise.is_measured or not exercise.asks_about_it:
        return ""
    return own_work_notice(opening.own_work, in_words(timedelta(minutes=opening.own_work_minutes)))


def request(submission: Submission, *, now: datetime) -> OwnWorkRound | None:
    """Have questions looked for about a first answer; None where none are to be asked."""
    attempt = submission.attempt
    if submission.round != 1 or not attempt.policies.get(ACCEPTED):
        return None
    opening = attempt.invitation.opening
    row, is_new = OwnWorkRound.objects.get_or_create(
        submission=submission,
        defaults={
            "created_at": now,
            "is_live": opening.own_work == OwnWork.LIVE,
            "minutes": opening.own_work_minutes,
        },
    )
    if is_new:
        enqueue_questions(row.pk)
    return row


def round_of(attempt: Attempt) -> OwnWorkRound | None:
    """The round about the first answer that stands."""
    rows = OwnWorkRound.objects.filter(submission__attempt=attempt, submission__superseded_at=None)
    return rows.select_related("submission__attempt__invitation__candidate").first()


def questions_in(row: OwnWorkRound) -> list[Question]:
    """The questions that were found, in their order."""
    report = row.report if row.result == Result.DONE else None
    return [question_from(data) for data in (report or {}).get("questions", [])]


def stage_of(row: OwnWorkRound, now: datetime) -> Stage:
    """Where the round stands: the one rule."""
    if row.started_at is not None:
        return Stage.RUNNING if row.handed_in_at is None and now < ends_at(row) else Stage.DONE
    if row.finished_at is None:
        return Stage.PREPARING
    if not questions_in(row):
        return Stage.NONE
    if row.is_live:
        return Stage.READY if _is_shown(row, now) else Stage.CLOSED
    return Stage.READY if now < begins_until(row) else Stage.MISSED


def _is_shown(row: OwnWorkRound, now: datetime) -> bool:
    """Whether the page of the live interview is open to the candidate."""
    sitting = sittings.present(row.submission.attempt.invitation, now)
    return sitting is not None and sittings.shown(sitting, now) is not None


def begins_until(row: OwnWorkRound) -> datetime:
    """Until when it can be begun: counted from when the questions were there, and not before."""
    factor = row.submission.attempt.invitation.candidate.multiplier()
    return (row.finished_at or row.created_at) + stretch(BEGIN_WITHIN, factor)


def time_for(row: OwnWorkRound) -> timedelta:
    """The person's time for it, as it is or would be now."""
    factor = row.multiplier
    if row.started_at is None:
        factor = row.submission.attempt.invitation.candidate.multiplier()
    return stretch(timedelta(minutes=row.minutes), factor)


def ends_at(row: OwnWorkRound) -> datetime:
    """When the time of a round that was begun is over: what the site was away or slow is given back once."""
    if row.started_at is None or row.deadline_at is None:
        raise ValueError("A round that was not begun has no end.")
    end = row.deadline_at
    covered: list[tuple[datetime, datetime]] = []
    gone = Outage.objects.filter(component=WEB, ended_at__gt=row.started_at).order_by("began_at")
    for began, ended in gone.values_list("began_at", "ended_at"):
        if began >= end:
            break
        end += uncovered(max(began, row.started_at), ended, covered)
        covered.append((began, ended))
    return end


def grace_of(row: OwnWorkRound) -> timedelta:
    """How long after the end a save still counts that was on its way."""
    return stretch(GRACE, row.multiplier)


@transaction.atomic
def begin(attempt: Attempt, *, now: datetime) -> OwnWorkRound:
    """Start the round's clock; pressing twice changes nothing. Raises NotPossible."""
    row = _locked(attempt)
    stage = stage_of(row, now)
    if stage in (Stage.RUNNING, Stage.DONE):
        return row
    if stage != Stage.READY:
        raise NotPossible(CANNOT_BEGIN[stage])
    row.multiplier = attempt.invitation.candidate.multiplier()
    row.started_at = now
    row.deadline_at = now + stretch(timedelta(minutes=row.minutes), row.multiplier)
    row.save(update_fields=["multiplier", "started_at", "deadline_at"])
    return row


CANNOT_BEGIN = {
    Stage.PREPARING: "The questions are not ready yet: this page shows when they are.",
    Stage.NONE: "There are no questions about this answer. You have nothing more to do.",
    Stage.CLOSED: "Your interviewer opens this round during the talk.",
    Stage.MISSED: "The time in which this round could be begun is over.",
}


def _locked(attempt: Attempt) -> OwnWorkRound:
    rows = OwnWorkRound.objects.select_for_update(of=("self",))
    rows = rows.filter(submission__attempt=attempt, submission__superseded_at=None)
    row: OwnWorkRound | None = rows.select_related(
        "submission__attempt__invitation__candidate"
    ).first()
    if row is None:
        raise NotPossible("There are no questions about this answer. You have nothing more to do.")
    return row


@dataclass(frozen=True)
class Sent:
    """Entries that a page sends: number of the question -> {"given", "why"}; once for each (client, seq)."""

    client: UUID
    seq: int
    entries: Entries


class BadSend(ValueError):
    """What was sent are no entries; the text is one sentence."""


def read_sent(data: Any) -> Sent:
    """What a page sent as JSON; raises BadSend."""
    if not isinstance(data, dict):
        raise BadSend("Send client, seq and answers.")
    try:
        client = UUID(str(data.get("client")))
    except ValueError:
        raise BadSend("client is a UUID.") from None
    seq = data.get("seq")
    if isinstance(seq, bool) or not isinstance(seq, int) or not 0 < seq < 2**62:
        raise BadSend("seq is a whole number from 1.")
    return Sent(client, seq, entries_in(data.get("answers")))


def entries_in(data: Any) -> Entries:
    """Entries as they are kept, cut to what a field holds; raises BadSend."""
    if not isinstance(data, dict) or len(data) > 20:
        raise BadSend("answers is an object: number of the question to given and why.")
    found: Entries = {}
    for number, entry in data.items():
        if not (number.isascii() and number.isdigit()) or not isinstance(entry, Mapping):
            raise BadSend("answers is an object: number of the question to given and why.")
        longest = {"given": LONGEST_GIVEN, "why": LONGEST_WHY}
        texts = {name: entry[name] for name in longest if name in entry}
        if not all(isinstance(text, str) for text in texts.values()):
            raise BadSend("given and why are text.")
        found[number[:3]] = {name: _kept(text)[: longest[name]] for name, text in texts.items()}
    return found


def _kept(text: str) -> str:
    """The text with U+FFFD for what no database holds: a browser cuts an emoji in two."""
    return text if is_text(text) else "".join(one if is_text(one) else "\ufffd" for one in text)


@transaction.atomic
def save(attempt: Attempt, sent: Sent, *, now: datetime) -> OwnWorkSave:
    """Keep what was sent; what comes after the end is kept aside. Raises NotPossible before the start."""
    row = _locked(attempt)
    if row.started_at is None:
        raise NotPossible("This round was not begun: nothing can be saved yet.")
    known = row.saves.filter(client=sent.client, seq=sent.seq).first()
    if known:
        return known
    if row.saves.count() >= MOST_SAVES:
        raise NotPossible("This round has been saved too often. What was saved before is safe.")
    is_over = row.handed_in_at is not None or now >= ends_at(row) + grace_of(row)
    return row.saves.create(
        client=sent.client, seq=sent.seq, answers=sent.entries, received_at=now, late=is_over
    )


@transaction.atomic
def hand_in(attempt: Attempt, sent: Sent | None, *, now: datetime) -> OwnWorkRound:
    """Keep what the page holds and end the round; twice changes nothing. Raises NotPossible."""
    row = _locked(attempt)
    if row.started_at is None:
        raise NotPossible("This round was not begun: there is nothing to hand in.")
    if sent is not None:
        save(attempt, sent, now=now)
    if row.handed_in_at is None and now < ends_at(row):
        row.handed_in_at = now
        row.save(update_fields=["handed_in_at"])
    return row


def answers_in(row: OwnWorkRound) -> Entries:
    """Number of a question -> what was given in the end, and why: of each field what arrived last in time."""
    found: Entries = {}
    for entries in row.saves.filter(late=False).order_by("pk").values_list("answers", flat=True):
        for number, entry in entries.items():
            found.setdefault(number, {}).update(entry)
    return found


@dataclass(frozen=True)
class Judged:
    """One question with what was answered: `verdict` is right, near, wrong or open."""

    number: int
    question: Question
    given: str
    why: str
    verdict: str

    @property
    def given_text(self) -> str:
        return dict(self.question.options).get(self.given, self.given)

    @property
    def right_text(self) -> str:
        if isinstance(self.question.right, float):
            return f"{self.question.right:,.10g} {self.question.unit}".strip()
        return dict(self.question.options).get(str(self.question.right), "")


def judged(row: OwnWorkRound) -> list[Judged]:
    """Every question beside what was answered, for staff alone: it holds what is right."""
    given = answers_in(row)
    found = []
    for number, question in enumerate(questions_in(row), start=1):
        entry = given.get(str(number), {})
        text = entry.get("given", "")
        found.append(Judged(number, question, text, entry.get("why", ""), judge(question, text)))
    return found
