"""Talks with people of the living demo: planned by a set of the bank, held, written down, or to come."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings

from assessments.models import Sitting
from headnode.living.people import Interview, Person, Record
from headnode.living.scene import Act, Scene
from library.choosing import minutes_for
from library.models import Question
from reviews.interviews import interviews, talks
from reviews.interviews.question_sets import present_questions, save_set
from reviews.models import InterviewSession, QuestionSet

LATE = timedelta(minutes=4)
"""So long after the planned time people sit down and begin."""


def talks_of(person: Person) -> Iterator[Act]:
    """The plan, then the record of everybody who has begun one."""
    talk = person.interview
    if talk is None:
        return
    yield Act(lambda scene: _sessions(scene).exists(), partial(_plan, talk=talk))
    for record in talk.records:
        yield Act(
            partial(_is_written, record=record), partial(_write_down, talk=talk, record=record)
        )


def _sessions(scene: Scene) -> Any:
    return InterviewSession.objects.filter(
        candidate__email=scene.person.email, opening=scene.opening
    )


def _begins_at(scene: Scene, talk: Interview) -> datetime:
    """On the hour."""
    at = scene.made + timedelta(hours=talk.ahead) if talk.ahead else scene.after(talk.begins)
    return at.replace(minute=0, second=0, microsecond=0)


def _plan(scene: Scene, made: Any, talk: Interview) -> None:
    link = scene.link
    if link is None:
        return
    now, by = scene.after(talk.after), scene.staff[talk.planned_by]
    questions = _set(scene, talk, now)
    when = talks.When(_begins_at(scene, talk), settings.ORGANISATION_TIME_ZONE, talk.minutes)
    sitting = talks.talk_for(scene.opening, link.candidate, questions, when, by=by, now=now)
    for name in talk.by:
        interviews.plan(
            opening=scene.opening,
            candidate=link.candidate,
            interviewer=scene.staff[name],
            question_set=questions,
            by=by,
            now=now,
            sitting=sitting,
        )
    if talk.ahead:  # of one that is over nobody has to be told any more
        talks.tell(sitting, by=by, now=now)


def _set(scene: Scene, talk: Interview, now: datetime) -> QuestionSet:
    known = QuestionSet.objects.filter(title=talk.title, opening=scene.opening).first()
    if known:
        return known
    row = QuestionSet(title=talk.title, opening=scene.opening, minutes=talk.minutes)
    asked = [_question(scene, topic) for topic in talk.topics]
    items = [(question, minutes_for(question), "") for question in asked]
    return save_set(row, items, by=scene.staff[talk.planned_by], now=now)


def _question(scene: Scene, topic: str) -> Question:
    """The first that the bank has for this topic and the opening's level."""
    rows = present_questions().filter(topic_id=topic, level=scene.opening.level, shipped=True)
    found: Question = rows.order_by("pk")[:1].get()
    return found


def _is_written(scene: Scene, record: Record) -> bool:
    mine = _sessions(scene).filter(interviewer=scene.staff[record.by]).exclude(started_at=None)
    return bool((mine.exclude(submitted_at=None) if record.summary else mine).exists())


def _write_down(scene: Scene, made: Any, talk: Interview, record: Record) -> None:
    mine = _sessions(scene).filter(interviewer=scene.staff[record.by]).select_related("sitting")
    session = mine.get()
    sitting: Sitting | None = session.sitting
    planned = sitting.begins_at if sitting and sitting.begins_at else scene.made
    at = planned + LATE
    interviews.begin(session, now=at)
    for asked, score, points, note in zip(
        session.asked.order_by("position"), record.scores, record.points, record.notes, strict=False
    ):
        reached = range(min(points, len(asked.snapshot["expected_points"])))
        said = interviews.Written(
            points=reached, note=note, score=score, asked=True, seconds=60 * asked.minutes
        )
        at += timedelta(minutes=asked.minutes)
        interviews.write(asked, said, now=at)
    if record.summary:
        session.refresh_from_db()
        interviews.submit(session, summary=record.summary, now=at + LATE)
